import type { Interrupt, Json, JsonObject, Message } from '@clewline/core'
import { callId, type CallPath, type RunContext } from '@clewline/core/source'
import type { BackendEvent, Question } from '../backend.ts'
import { modelWriter } from './model-writer.ts'
import { stepWriter } from './step-writer.ts'
import { toolWriter } from './tool-writer.ts'

/** Translates backend events into drafts: gives calls their paths, starts them, and ends each of them. */
export interface RunWriter {
  /** Writes one event. `done` ends what is open below the root. */
  write(event: BackendEvent): Promise<void>
  /** The root call begins; or it goes on from a checkpoint in another process. */
  begin(input: Json, resumedFrom: string | null): Promise<void>
  state(delta: JsonObject): Promise<void>
  warn(code: string, message: string): Promise<void>
  checkpoint(id: string, digest: string): Promise<void>
  /** An assistant message without a model call, worded by a hook. Resolves with its id. */
  say(text: string): Promise<string>
  /** What follows was written before: it is counted, and not written. */
  replay(): void
  goLive(): Promise<void>
  readonly isReplaying: boolean
  /** A question of the innermost sub-task, the `nth` thing that the run did. */
  question(value: Question, nth: number): Interrupt
  /** The innermost sub-task waits for an answer. */
  raise(question: Interrupt, agent: string, checkpoint_id: string, digest: string): Promise<void>
  end(status: 'ok' | 'cancelled'): Promise<void>
  fail(failure: Failure): Promise<void>
  /** The id by which readers know the newest answer of the model. */
  readonly messageId: string
  /** The id of the message with a tool's result. */
  resultId(toolCallId: string): string
  /** Model calls so far. */
  readonly turns: number
  readonly hasSpoken: boolean
  /** What this run has shown: the main agent's answers and the results of its tools. */
  readonly shown: readonly Message[]
}

export interface Failure {
  readonly name: string
  readonly message: string
  /** The code that clients see. */
  readonly class: string
}

const ROOT: CallPath = []

/** `firstTurn`: model calls that this trace made before this run. */
export function runWriter(name: string, run: RunContext, firstTurn: number): RunWriter {
  let isReplaying = false
  const context: RunContext = {
    ...run,
    emit: (draft) => (isReplaying ? undefined : run.emit(draft)),
  }
  const shown: Message[] = []
  /** How much of it is not of the replay. */
  let kept = 0
  const steps = stepWriter(context, name)
  const models = modelWriter({ name, context, steps, firstTurn, shown })
  const tools = toolWriter({ context, steps, shown })

  async function warn(code: string, message: string, facts: JsonObject = {}): Promise<void> {
    await context.emit({ type: 'warning', path: ROOT, agent: name, payload: { ...facts, code, message } })
  }

  async function closeBelow(reason: string, failure?: Failure): Promise<void> {
    await models.close(reason, failure)
    await tools.close()
    while (steps.depth > 0) await steps.end('', 'cancelled')
  }

  async function endModel(event: Extract<BackendEvent, { ev: 'llm_end' }>): Promise<void> {
    const agent = await models.end(event)
    if (agent === undefined) return
    for (const call of event.tool_calls) {
      if (call.place !== 'unknown') await tools.announce(call, agent)
      else {
        const facts = { tool_name: call.name, args: call.args }
        await warn('unknown-tool', `The model asked for "${call.name}", which is not enabled.`, facts)
      }
    }
  }

  return {
    warn,
    shown,
    say: (text) => models.say(text, 'responseFromResult'),
    resultId: (id) => tools.resultId(id),
    get messageId() {
      return models.messageId
    },
    get turns() {
      return models.turns
    },
    get hasSpoken() {
      return models.hasSpoken
    },

    get isReplaying() {
      return isReplaying
    },
    replay() {
      isReplaying = true
      kept = shown.length
      models.restart()
      steps.restart()
    },
    async goLive() {
      isReplaying = false
      shown.length = kept
      await steps.reopen()
    },

    question(value, nth) {
      const id = callId(context.trace_id, [...steps.top, 'question'])
      return { id, question_id: `${id}:${nth}`, value }
    },
    async raise(question, agent, checkpoint_id, digest) {
      const payload = { checkpoint_id, node: name, state_digest: digest, interrupts: [question] }
      await context.emit({ type: 'subgraph_checkpoint', path: steps.top, agent, payload })
    },

    async begin(input, resumedFrom) {
      const head = { path: ROOT, agent: name }
      if (resumedFrom === null) {
        const payload = { tool_name: name, kind: 'graph' as const, input }
        await context.emit({ type: 'tool_start', ...head, payload })
      } else {
        const payload = { checkpoint_id: resumedFrom, node: name }
        await context.emit({ type: 'subgraph_resume', ...head, payload })
      }
    },

    async state(delta) {
      const payload = { tool_name: name, delta: { state: delta } }
      await context.emit({ type: 'tool_update', path: ROOT, agent: name, payload })
    },

    async checkpoint(id, digest) {
      const payload = { checkpoint_id: id, node: name, state_digest: digest }
      await context.emit({ type: 'subgraph_checkpoint', path: ROOT, agent: name, payload })
    },

    async end(status) {
      const result = { messages: shown, files: {}, usage: models.usage }
      const payload = { tool_name: name, result, status }
      await context.emit({ type: 'tool_end', path: ROOT, agent: name, payload })
    },

    async fail(failure) {
      await closeBelow('error', failure)
      await context.emit({ type: 'error', path: ROOT, agent: name, payload: { ...failure, stack: '' } })
    },

    async write(event) {
      switch (event.ev) {
        case 'llm_start':
          return await models.start(event)
        case 'text':
        case 'reasoning':
          return await models.token(event)
        case 'tool_name':
          return models.name(event)
        case 'tool_args':
          return await models.args(event)
        case 'llm_end':
          return await endModel(event)
        case 'tool_start':
          return await tools.start(event)
        case 'tool_update':
          return await tools.update(event)
        case 'tool_result':
          return await tools.result(event)
        case 'step':
          return event.phase === 'start'
            ? await steps.begin(event.name)
            : await steps.end(event.result ?? '', 'ok')
        case 'inner_call':
          return await models.aside(event)
        case 'warning':
          return await warn(event.code, event.message)
        case 'restart':
          models.rebase()
          return await closeBelow('restarted')
        case 'done':
          models.rebase()
          return await closeBelow(event.reason)
        case 'say':
          await models.say(event.text, 'task')
          return
        case 'message':
        case 'journal':
        case 'live':
        case 'memory':
        case 'question':
        case 'error':
          return
      }
    },
  }
}
