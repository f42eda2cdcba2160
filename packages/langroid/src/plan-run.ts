import { ClewlineError, type Interrupt, type Json, type JsonObject, type Message } from '@clewline/core'
import type { RunRequest } from '@clewline/core/source'
import type { BackendInput } from './backend.ts'
import type { LangroidRunInput } from './config.ts'
import { coreMessages } from './core-messages.ts'
import { deriveTurn, joinMessages, type Turn } from './derive-turn.ts'
import type { Replay } from './history-store.ts'
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
  /** What the run did before, to be replayed. */
  readonly journal: readonly Json[]
  /** What a human answered to the question in which it stopped. */
  readonly answer?: Json
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
  const question = record.progress?.question
  if (request.kind === 'resume' && question === undefined) {
    throw new ClewlineError('bad-request', 'This thread does not wait for an answer.', {
      hint: 'Answer a frontend tool with a tool message in the next input.',
    })
  }
  const sent = request.kind === 'input' ? readRunInput(request.input) : { messages: [], state: undefined }
  const named = sent.messages.map((message, i) => ({ id: `${context.run_id}:${i}`, ...message }))
  const joined = joinMessages(record.messages, named)
  const answer = answerOf(request, question, named)
  const replay = request.kind === 'recover' || answer !== undefined ? record.progress?.replay : undefined
  const turn =
    replay !== undefined
      ? replayed(replay)
      : request.kind === 'recover'
        ? recovery(joined)
        : deriveTurn(joined, new Set(record.executed))
  const state = { ...record.state, ...sent.state }
  const joinedShown = joinMessages(record.shown, coreMessages(named))
  const shown = replay === undefined ? shownBefore(joinedShown, turn) : joinedShown
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
  if (replay === undefined && prompt.kind === 'user' && config.stateContextBuilder !== undefined) {
    try {
      prompt = { kind: 'user', text: await config.stateContextBuilder(input, prompt.text) }
    } catch (error) {
      await writer.warn('hook-failed', `stateContextBuilder failed: ${String(error)}`)
    }
  }
  const asked = { turn, prompt, input, state, shown, journal: replay?.journal ?? [] }
  return { type: 'ask', ...asked, ...(answer !== undefined && { answer }) }
}

/**
 * The answer to the open question: from a client that resumes, or the newest words of one that only chats. Undefined when
 * the request has none.
 */
function answerOf(
  request: RunRequest,
  question: Interrupt | undefined,
  sent: readonly LLMMessage[],
): Json | undefined {
  if (question === undefined) return undefined
  if (request.kind === 'input') {
    const last = sent.at(-1)
    return last?.role === 'user' ? last.content : undefined
  }
  if (request.kind === 'recover') return undefined
  const fits = request.answers.find(
    ({ interrupt_id, question_id }) =>
      (interrupt_id ?? question.id) === question.id &&
      (question_id ?? question.question_id) === question.question_id,
  )
  if (fits !== undefined) return fits.value
  throw new ClewlineError('conflict', 'Another question is open than the one that was answered.', {
    hint: `Answer "${question.id}".`,
  })
}

/** A run of a backend that journals begins as it began, and gets its journal. */
function replayed({ history, prompt, messages }: Replay): Turn {
  return { history, input: prompt, messages, warnings: [] }
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
