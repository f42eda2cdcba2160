import { coerce, ClewlineError } from '@clewline/core'
import type { Json } from '@clewline/core'
import type { RunContext, RunOutcome, RunRequest } from '@clewline/core/source'
import type { Backend, BackendCall, BackendEvent, BackendInput } from './backend.ts'
import type { LangroidAgentConfig } from './config.ts'
import { digestOf } from './checkpoint-history.ts'
import type { HistoryStore, ThreadRecord } from './history-store.ts'
import { createHooks } from './hooks.ts'
import { repairHistory } from './llm-message.ts'
import type { LLMMessage } from './llm-message.ts'
import { planRun } from './plan-run.ts'
import type { Plan } from './plan-run.ts'
import { runWriter } from './writer/run-writer.ts'
import type { RunWriter } from './writer/run-writer.ts'

const EXECUTED_KEPT = 1000

export interface ThreadRun {
  readonly name: string
  readonly backend: Backend
  readonly config: LangroidAgentConfig
  readonly history: HistoryStore | undefined
  /** Where the thread stood when the run began. */
  readonly checkpoint_id: string | null
  /** The thread's memory, locked for this run. */
  readonly slot: { record: ThreadRecord }
  readonly request: RunRequest
  readonly context: RunContext
}

type Ending = Extract<BackendEvent, { ev: 'done' | 'error' }>

/** One run of a thread: from the client's messages to the last draft. Failures of the agent are its outcome. */
export async function runOnThread(run: ThreadRun): Promise<RunOutcome> {
  const { name, backend, config, history: store, slot, request, context } = run
  const given: Json = request.kind === 'input' ? request.input : {}
  const isRecovery = request.kind === 'recover'
  const { progress } = slot.record
  const goesOn = isRecovery && progress?.trace_id === context.trace_id
  const writer = runWriter(name, context, goesOn ? progress.turn : 0)
  await writer.begin(
    coerce(given),
    isRecovery && context.isOpen([]) ? (run.checkpoint_id ?? context.run_id) : null,
  )

  let plan: Plan
  try {
    plan = await planRun(request, slot.record, config, context, writer)
  } catch (error) {
    if (!(error instanceof ClewlineError)) throw error
    return await failed(writer, {
      name: error.code,
      message: `${error.message} ${error.hint}`,
      class: 'LANGROID_ERROR',
    })
  }

  if (isRecovery && slot.record.messages.length === 0) {
    const message = 'The thread remembers nothing that this run could go on from.'
    return await failed(writer, { name: 'not-found', message, class: 'LANGROID_ERROR' })
  }
  if (isRecovery && slot.record.progress === null) {
    // The run had said everything when its process died.
    await writer.end('ok')
    return { status: 'success' }
  }
  const { input } = plan
  const hooks = createHooks({ config, input, writer, state: plan.state })
  const messages: LLMMessage[] = [...plan.turn.messages]
  const executed = [...slot.record.executed]
  const calls = new Map<string, BackendCall>()

  async function save(isOver: boolean): Promise<void> {
    const reason = 'No result: the run ended before this call was answered.'
    const pending = new Set(
      [...calls.values()].filter((call) => call.place === 'frontend').map((call) => call.id),
    )
    const whole = repairHistory(messages, reason)
    slot.record = {
      // Frontend calls stay open: the client answers them in the next run.
      messages: whole.filter(
        (m) => !(m.role === 'tool' && m.content === reason && pending.has(m.tool_call_id ?? '')),
      ),
      shown: [...plan.shown, ...writer.shown],
      state: hooks.state,
      executed: executed.slice(-EXECUTED_KEPT),
      progress: isOver ? null : { trace_id: context.trace_id, turn: writer.turns },
    }
    const checkpoint = await store?.save(context.thread_id, slot.record)
    if (typeof checkpoint === 'string') await writer.checkpoint(checkpoint, digestOf(slot.record))
  }

  async function observe(event: BackendEvent): Promise<void> {
    await writer.write(event)
    switch (event.ev) {
      case 'llm_end':
        for (const call of event.tool_calls) {
          calls.set(call.id, call)
          if (call.place !== 'unknown') await hooks.afterCall(call)
        }
        return
      case 'tool_start':
        executed.push(event.id)
        return
      case 'tool_update':
        if (event.state !== undefined) await hooks.setState(event.state)
        return
      case 'tool_result': {
        const call = calls.get(event.id)
        if (call !== undefined) await hooks.afterResult(call, event)
        return
      }
      case 'message':
        messages.push({ ...event.message, id: idOfMessage(event.message, writer) })
        return
      case 'llm_start':
        hooks.newTurn()
        return
      case 'text':
      case 'reasoning':
      case 'tool_name':
      case 'tool_args':
      case 'step':
      case 'warning':
      case 'done':
      case 'error':
        return
    }
  }

  const maxTurns = config.maxTurns ?? 8
  const returnAfter = Object.entries(config.toolBehaviors ?? {})
    .filter(([, behavior]) => behavior.responseFromResult !== undefined)
    .map(([tool]) => tool)
  const drain = new AbortController()
  let history: readonly LLMMessage[] = plan.turn.history
  let next: BackendInput = plan.prompt

  for (let firstTurn = writer.turns; ;) {
    let ending: Ending | undefined
    const events = backend.run({
      thread: context.thread_id,
      run: context.run_id,
      messages: history,
      input: next,
      tools: input.tools,
      limits: {
        max_turns: Math.max(1, maxTurns - (writer.turns - firstTurn)),
        max_repeats: config.maxRepeats ?? 2,
      },
      return_after: returnAfter,
      signal: AbortSignal.any([context.signal, drain.signal]),
    })
    for await (const event of events) {
      if (event.ev === 'llm_start') {
        // Between two model calls nothing is half done: from here another process can go on.
        if (context.drain.aborted && writer.turns > 0) {
          drain.abort()
          break
        }
        await save(false)
      }
      await observe(event)
      if (event.ev === 'done' || event.ev === 'error') ending = event
    }
    if (drain.signal.aborted) {
      await save(false)
      return { status: 'drained' }
    }
    ending ??= {
      ev: 'error',
      code: 'INTERNAL',
      type: 'Error',
      message: 'The backend stopped without an ending.',
    }

    if (ending.ev === 'done' && ending.reason === 'returned') {
      const text = await hooks.response()
      if (text === null) {
        history = messages
        next = { kind: 'continue' }
        continue
      }
      const id = await writer.say(text)
      messages.push({ role: 'assistant', content: text, id })
    }
    await save(true)
    return await finish(ending)
  }

  async function finish(ending: Ending): Promise<RunOutcome> {
    if (ending.ev === 'error') {
      const code = ending.code === 'WORKER' ? 'LANGROID_WORKER_EXITED' : 'LANGROID_ERROR'
      return await failed(writer, { name: ending.type, message: ending.message, class: code })
    }
    if (ending.reason === 'cancelled') {
      await writer.end('cancelled')
      return { status: 'cancelled' }
    }
    const warning = WARNINGS[ending.reason]
    if (warning !== undefined && !(ending.reason === 'stalled' && writer.hasSpoken)) {
      await writer.warn(ending.reason.replace('_', '-'), warning)
    }
    await writer.end('ok')
    return { status: 'success' }
  }
}

const WARNINGS: Readonly<Record<string, string>> = {
  max_turns: 'The run was stopped: it asked the model as often as `maxTurns` allows.',
  repeated: 'The run was stopped: the model repeated the same tool call although it was told not to.',
  stalled: 'The task stalled: nobody in it had an answer.',
}

function idOfMessage(message: LLMMessage, writer: RunWriter): string {
  return message.tool_call_id === undefined ? writer.messageId : writer.resultId(message.tool_call_id)
}

async function failed(writer: RunWriter, failure: Parameters<RunWriter['fail']>[0]): Promise<RunOutcome> {
  await writer.fail(failure)
  return { status: 'error', error: { name: failure.class, message: failure.message } }
}
