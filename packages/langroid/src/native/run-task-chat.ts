import type { BackendEvent, BackendRequest } from '../backend.ts'
import { canonicalMessages } from './canonical-messages.ts'
import { chatDocument, type ChatDocument } from './chat-document.ts'
import { createJournal, JournalMismatch } from './journal.ts'
import { inputDocument } from './run-chat.ts'
import { endOfFailure, runObserver, type Emit } from './run-observer.ts'
import { showTask } from './show-task.ts'
import { restoreMemory, taskMemory } from './task-memory.ts'
import { runTask } from './task-run.ts'
import { handlesTool, type StepEvent, type Task } from './task.ts'
import { historyFor } from './text-history.ts'
import { clientTool } from './tool-message.ts'
import { UserAwaited } from './user-awaited.ts'

const CHANGED = 'The task is not what it was when this run began: it starts again from its input.'

/** A tool has answered whose words are not the model's: the caller finds them. */
class ResultReturned extends Error {}

/**
 * One run of a task in a chat: it ends when the task is done, when a client must answer a tool call, or when its user
 * must say something. A sub-task's question stops the run; that of the main task ends it, and the next message answers.
 */
export async function runTaskChat(task: Task, request: BackendRequest, emit: Emit): Promise<BackendEvent> {
  const { signal } = request
  const observer = runObserver(request, emit, (name) => handlesTool(task, name))
  const frontend = new Set(request.tools.map((tool) => tool.name))
  const { agent } = task
  const begun = await beginning(request, emit)
  agent.messageHistory = [...historyFor(agent, begun.messages)]
  restoreMemory(task, request.memory)
  const journal = createJournal({
    past: request.journal,
    onLive: () => emit({ ev: 'live' }),
    record: (entry) => emit({ ev: 'journal', entry }),
  })
  const shown = showTask(task, observer)
  const answers: ChatDocument[] = []
  let answer = request.answer
  let recorded = agent.messageHistory.length
  let pending: readonly string[] = []
  let isInputRecorded = false

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
      fresh.splice(0, begun.input.kind === 'tool_results' ? countLeadingAnswers(fresh) : 1)
    }
    const kept = agent.toolFormat === 'api' ? fresh : canonicalMessages(fresh, answers)
    for (const message of kept) await emit({ ev: 'message', message })
  }

  async function onStep(step: StepEvent): Promise<void> {
    switch (step.type) {
      case 'task-start':
        return await emit({ ev: 'step', phase: 'start', name: step.task })
      case 'task-end':
        return await emit({ ev: 'step', phase: 'end', name: step.task, result: step.result?.content ?? '' })
      case 'answer':
        if (step.task !== task.name) return
        if (step.responder === 'LLM') answers.push(step.document)
        await record()
        // Not while replaying: the caller had no words then, so that the model was asked.
        if (journal.isLive && step.responder === 'Agent' && isReturned(step.document))
          throw new ResultReturned()
    }
  }

  function isReturned({ parent }: ChatDocument): boolean {
    const used = parent?.toolMessages ?? []
    return used.length > 0 && used.every((use) => request.return_after.includes(use.name))
  }

  async function finish(ending: BackendEvent): Promise<BackendEvent> {
    await journal.goLive()
    await record()
    await emit({ ev: 'memory', memory: taskMemory(task) })
    return ending
  }

  try {
    await journal.once('begin', async () => task.name)
    const input = inputDocument(begun) ?? chatDocument({ sender: 'User', content: '' })
    const result = await runTask(task, input, {
      signal,
      journal,
      extraTools: request.tools.map(clientTool),
      onTool: observer.onTool,
      observerOf: (speaker) => shown.observerOf(speaker),
      userResponse: () => {
        const given = answer
        answer = undefined
        return given === undefined || typeof given === 'string' ? given : JSON.stringify(given)
      },
      isSuspended: (document) => {
        pending = pendingCalls(document)
        return pending.length > 0
      },
      onStep,
    })
    if (pending.length > 0) return await finish({ ev: 'done', reason: 'frontend_tools', pending })
    await journal.goLive()
    await record()
    if (result !== null) await shown.say(result, emit)
    return await finish({ ev: 'done', reason: result === null ? 'stalled' : 'stop', pending: [] })
  } catch (error) {
    if (error instanceof JournalMismatch) {
      await journal.goLive()
      await emit({ ev: 'restart' })
      await emit({ ev: 'warning', code: 'restarted', message: CHANGED })
      return await runTaskChat(task, { ...request, journal: [] }, emit)
    }
    if (error instanceof ResultReturned) return { ev: 'done', reason: 'returned', pending: [] }
    if (!(error instanceof UserAwaited)) return await finish(endOfFailure(error, signal))
    await record()
    const { visible = error.document.content } = error.document
    if (error.depth > 0) return { ev: 'question', question: { agent: error.task, text: visible } }
    await shown.say(error.document, emit)
    return await finish({ ev: 'done', reason: 'stop', pending: [] })
  }
}

/** What the run begins with. One that cannot go on where it was begins anew with its last question, and says so. */
async function beginning(
  request: BackendRequest,
  emit: Emit,
): Promise<Pick<BackendRequest, 'messages' | 'input'>> {
  if (request.input.kind !== 'continue') return request
  const { messages } = request
  const asked = messages.findLastIndex((message) => message.role === 'user')
  const message = 'The task was recorded by a version that kept no journal: it starts again from its input.'
  await emit({ ev: 'warning', code: 'restarted', message })
  return {
    messages: asked === -1 ? messages : messages.slice(0, asked),
    input: { kind: 'user', text: messages[asked]?.content ?? '' },
  }
}

function countLeadingAnswers(messages: readonly { readonly role: string }[]): number {
  const other = messages.findIndex((message) => message.role !== 'tool')
  return other === -1 ? messages.length : other
}
