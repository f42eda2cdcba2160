import { ClewlineError, type JsonObject, type Message } from '@clewline/core'
import type { BackendInput } from './backend.ts'
import type { LangroidRunInput } from './config.ts'
import { coreMessages } from './core-messages.ts'
import { deriveTurn, joinMessages, type Turn } from './derive-turn.ts'
import { repairHistory, type LLMMessage } from './llm-message.ts'
import { readRunInput } from './run-input.ts'
import type { ThreadRun } from './thread-run.ts'
import type { Failure, RunWriter } from './writer/run-writer.ts'

/** What a run will do. `over`: it had said everything when its process died. */
export type Plan = Ask | { readonly type: 'over' } | { readonly type: 'refuse'; readonly failure: Failure }

/** Asks the backend: about what, and with what. */
export interface Ask {
  readonly type: 'ask'
  readonly turn: Turn
  readonly prompt: BackendInput
  readonly input: LangroidRunInput
  readonly state: JsonObject
  /** What people see before this run adds to it. */
  readonly shown: readonly Message[]
}

/** Reads the request against what the thread remembers. What cannot be read is refused. */
export async function planRun(run: ThreadRun, writer: RunWriter): Promise<Plan> {
  const { messages, progress } = run.slot.record
  if (run.request.kind === 'recover' && messages.length === 0) {
    return refuse('not-found', 'The thread remembers nothing that this run could go on from.')
  }
  if (run.request.kind === 'recover' && progress === null) return { type: 'over' }
  try {
    return await planAsk(run, writer)
  } catch (error) {
    if (!(error instanceof ClewlineError)) throw error
    return refuse(error.code, `${error.message} ${error.hint}`)
  }
}

function refuse(name: string, message: string): Plan {
  return { type: 'refuse', failure: { name, message, class: 'LANGROID_ERROR' } }
}

async function planAsk({ request, slot, config, context }: ThreadRun, writer: RunWriter): Promise<Ask> {
  const { record } = slot
  if (request.kind === 'resume') {
    throw new ClewlineError('bad-request', 'A Langroid agent never waits for an answer.', {
      hint: 'Answer a frontend tool with a tool message in the next input.',
    })
  }
  const sent = request.kind === 'input' ? readRunInput(request.input) : { messages: [], state: undefined }
  const named = sent.messages.map((message, i) => ({ id: `${context.run_id}:${i}`, ...message }))
  const joined = joinMessages(record.messages, named)
  const turn = request.kind === 'recover' ? recovery(joined) : deriveTurn(joined, new Set(record.executed))
  const state = { ...record.state, ...sent.state }
  const shown = shownBefore(joinMessages(record.shown, coreMessages(named)), turn)
  const input: LangroidRunInput = {
    threadId: context.thread_id,
    runId: context.run_id,
    messages: turn.messages,
    state,
    tools: request.tools ?? [],
    configurable: request.config?.configurable ?? {},
  }
  if (sent.state !== undefined) await writer.state(sent.state)
  for (const { code, message } of turn.warnings) await writer.warn(code, message)

  let prompt = turn.input
  if (prompt.kind === 'user' && config.stateContextBuilder !== undefined) {
    try {
      prompt = { kind: 'user', text: await config.stateContextBuilder(input, prompt.text) }
    } catch (error) {
      await writer.warn('hook-failed', `stateContextBuilder failed: ${String(error)}`)
    }
  }
  return { type: 'ask', turn, prompt, input, state, shown }
}

/** Regenerating: a question that is asked again loses its old answer. */
function shownBefore(shown: readonly Message[], { input }: Turn): readonly Message[] {
  const newest = shown.findLastIndex((message) => message.role === 'user')
  return input.kind === 'user' && newest !== -1 ? shown.slice(0, newest + 1) : shown
}

/** A run that died goes on from what was saved. */
function recovery(messages: readonly LLMMessage[]): Turn {
  const history = repairHistory(messages, 'No result: the server stopped before this call was answered.')
  return { history, input: { kind: 'continue' }, messages: history, warnings: [] }
}
