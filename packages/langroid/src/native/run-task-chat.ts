import type { BackendEvent, BackendRequest } from '../backend.ts'
import { canonicalMessages } from './canonical-messages.ts'
import type { ChatAgent, ResponseOptions } from './chat-agent.ts'
import { chatDocument, type ChatDocument } from './chat-document.ts'
import { inputDocument } from './run-chat.ts'
import { endOfFailure, runObserver, type Emit } from './run-observer.ts'
import { runTask } from './task-run.ts'
import type { Task } from './task.ts'
import { historyFor } from './text-history.ts'
import { clientTool } from './tool-message.ts'

/** One run of a task in a chat: it ends when the task is done, or when a client must answer a tool call. */
export async function runTaskChat(task: Task, request: BackendRequest, emit: Emit): Promise<BackendEvent> {
  const { signal } = request
  const observer = runObserver(request, emit)
  const frontend = new Set(request.tools.map((tool) => tool.name))
  const { agent } = task
  agent.messageHistory = [...historyFor(agent, request.messages)]
  let recorded = agent.messageHistory.length
  let pending: readonly string[] = []
  let isInputRecorded = request.input.kind === 'continue'

  function pendingCalls(document: ChatDocument): readonly string[] {
    return document.sender === 'LLM'
      ? document.tools
          .filter((use) => frontend.has(use.name) && !agent.toolsHandled.has(use.name))
          .map((use) => use.id)
      : []
  }

  /** The caller keeps the history; it knows its own input already. */
  async function record(): Promise<void> {
    const fresh = agent.messageHistory.slice(recorded)
    recorded = agent.messageHistory.length
    if (!isInputRecorded && fresh.length > 0) {
      isInputRecorded = true
      fresh.splice(0, request.input.kind === 'tool_results' ? countLeadingAnswers(fresh) : 1)
    }
    const kept = agent.toolFormat === 'api' ? fresh : canonicalMessages(fresh, answers)
    for (const message of kept) await emit({ ev: 'message', message })
  }

  const answers: ChatDocument[] = []
  const observers = new Map<ChatAgent, NonNullable<ResponseOptions['observe']>>()
  try {
    const input = inputDocument(request) ?? chatDocument({ sender: 'User', content: '' })
    const result = await runTask(task, input, {
      signal,
      extraTools: request.tools.map(clientTool),
      onTool: observer.onTool,
      observerOf: (speaker) => {
        const known = observers.get(speaker) ?? observer.turnsOf(speaker)
        observers.set(speaker, known)
        return known
      },
      isSuspended: (document) => {
        pending = pendingCalls(document)
        return pending.length > 0
      },
      onStep: async (step) => {
        if (step.type === 'answer') {
          if (step.task === task.name && step.responder === 'LLM') answers.push(step.document)
          await record()
        } else if (step.type === 'task-start') await emit({ ev: 'step', phase: 'start', name: step.task })
        else await emit({ ev: 'step', phase: 'end', name: step.task, result: step.result?.content ?? '' })
      },
    })
    await record()
    if (pending.length > 0) return { ev: 'done', reason: 'frontend_tools', pending }
    return { ev: 'done', reason: result === null ? 'stalled' : 'stop', pending: [] }
  } catch (error) {
    await record()
    return endOfFailure(error, signal)
  }
}

function countLeadingAnswers(messages: readonly { readonly role: string }[]): number {
  const other = messages.findIndex((message) => message.role !== 'tool')
  return other === -1 ? messages.length : other
}
