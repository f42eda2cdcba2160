import type { BackendEvent, BackendRequest, CallPlace } from '../backend.ts'
import { canonicalAnswer } from './canonical-messages.ts'
import type { ChatAgent, ToolObserver } from './chat-agent.ts'
import { chatDocument, type ChatDocument, type ToolUse } from './chat-document.ts'
import { repeatGuard } from './repeat-guard.ts'
import { endOfFailure, runObserver, type Emit } from './run-observer.ts'
import { historyFor } from './text-history.ts'
import { clientTool } from './tool-message.ts'

/** The chat loop: ask the model, run its backend tools, ask again, until it says something or a client must act. */
export async function runChat(agent: ChatAgent, request: BackendRequest, emit: Emit): Promise<BackendEvent> {
  const { signal } = request
  const observer = runObserver(request, emit)
  const observe = observer.turnsOf(agent)
  const extraTools = request.tools.map(clientTool)
  const guard = repeatGuard(request.limits.max_repeats)
  agent.messageHistory = [...historyFor(agent, request.messages)]
  const input = inputDocument(request)
  if (input !== undefined) agent.remember(input)

  try {
    for (;;) {
      const said = await agent.llmResponse(null, { signal, observe, extraTools })
      if (said === null) return { ev: 'done', reason: 'stop', pending: [] }
      await emit({ ev: 'message', message: canonicalAnswer(said) })
      if (said.tools.length === 0) return { ev: 'done', reason: 'stop', pending: [] }

      const places = said.tools.map((use) => ({ use, place: observer.placeOf(agent, use.name) }))
      const local = places.filter(({ place }) => place !== 'frontend')
      const running = local.map(({ use, place }) => answer(use, place, said))
      // Concurrent, but emitted in the order of the calls, so that the stream is deterministic.
      const answers: Answer[] = []
      for (const promise of running) {
        const one = await untilAborted(promise, signal)
        if (observer.placeOf(agent, one.use.name) === 'backend')
          await observer.onTool(one.use, { type: 'result', content: one.content, error: one.error })
        answers.push(one)
      }
      const pending = places.filter(({ place }) => place === 'frontend').map(({ use }) => use.id)
      recordAnswers(answers)
      for (const { use, content } of answers)
        await emit({ ev: 'message', message: { role: 'tool', tool_call_id: use.id, content } })
      if (pending.length > 0) return { ev: 'done', reason: 'frontend_tools', pending }
      const returns = local.filter(({ use }) => request.return_after.includes(use.name))
      if (returns.length > 0 && returns.length === local.length)
        return { ev: 'done', reason: 'returned', pending: [] }
      if (guard.isExhausted()) return { ev: 'done', reason: 'repeated', pending: [] }
    }
  } catch (error) {
    return endOfFailure(error, signal)
  }

  async function answer(use: ToolUse, place: CallPlace, document: ChatDocument): Promise<Answer> {
    if (place === 'unknown') {
      const names = [...agent.toolsUsable, ...request.tools.map((tool) => tool.name)].join(', ')
      const content = `There is no tool named "${use.name}". Tools you may use: ${names || 'none'}.`
      return { use, content, error: content }
    }
    const refusal = use.error ?? (guard.claim(use.name, use.args) ? undefined : guard.refusal(use.name))
    if (refusal !== undefined) {
      await observer.onTool(use, { type: 'start' })
      return { use, content: refusal, error: refusal }
    }
    try {
      const onTool: ToolObserver = (used, event) =>
        event.type === 'result' ? undefined : observer.onTool(used, event)
      const result = await agent.handleTool(use, { signal, document, onTool })
      return { use, content: result?.content ?? '', error: null }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      return { use, content: `Tool "${use.name}" failed: ${words}`, error: words }
    }
  }

  function recordAnswers(answers: readonly Answer[]): void {
    for (const { use, content } of answers.filter(({ use }) => use.via === 'api')) {
      agent.messageHistory.push({ role: 'tool', tool_call_id: use.id, content })
    }
    const texts = answers.filter(({ use }) => use.via === 'text')
    if (texts.length === 0) return
    const content =
      texts.length === 1
        ? texts[0]!.content
        : texts.map(({ use, content }) => `Result from ${use.name}: ${content}`).join('\n\n')
    agent.messageHistory.push({ role: 'user', content })
  }
}

interface Answer {
  readonly use: ToolUse
  readonly content: string
  readonly error: string | null
}

/** A handler that ignores its signal must not hold a cancelled run. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(new Error('cancelled'))
    signal.addEventListener('abort', abort, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** What the run begins with, as the agent's entities would say it. */
export function inputDocument({ input }: Pick<BackendRequest, 'input'>): ChatDocument | undefined {
  switch (input.kind) {
    case 'user':
      return chatDocument({ sender: 'User', content: input.text, tainted: true })
    case 'tool_results':
      return chatDocument({ sender: 'Agent', results: input.results })
    case 'continue':
      return undefined
  }
}
