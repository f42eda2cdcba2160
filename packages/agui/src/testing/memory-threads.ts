import { memoryLog, ClewlineError } from '@clewline/core'
import type { EventLog, Interrupt, Json, Message } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import { messageOf } from '@clewline/core/message'
import type { Draft, RunOutcome, RunRequest, Source } from '@clewline/core/source'
import type { SettledRun, StartRun, Threads } from '../threads.ts'

/** The agents of the threads, and where their log is. */
export interface MemoryThreadsOptions {
  readonly agents: Readonly<Record<string, Source>>
  readonly log?: EventLog
  /** Handed to the sources: for LangGraph a `MemorySaver`. */
  readonly checkpointer?: unknown
}

interface Thread {
  readonly agent: string
  trace: string
  tracePosition: number
  active: string | null
  outcome: RunOutcome | null
  readonly runs: Map<string, { readonly settled: Promise<SettledRun>; readonly stop: AbortController }>
}

/** Threads that live as long as the process: one run at a time, every envelope in the log before anyone sees it. */
export function memoryThreads(options: MemoryThreadsOptions): Threads {
  const log = options.log ?? memoryLog()
  const { checkpointer } = options
  const threads = new Map<string, Thread>()

  function sourceOf(agent: string): Source {
    const source = options.agents[agent]
    if (source === undefined)
      throw new ClewlineError('unknown-agent', `No agent named "${agent}".`, {
        hint: 'See the agents option.',
      })
    return source
  }

  async function execute(thread: Thread, run: StartRun, stop: AbortController): Promise<SettledRun> {
    const { thread_id, run_id } = run
    const history = []
    for await (const { envelope } of log.read(thread_id, { follow: false })) history.push(envelope)
    if (run.request.kind === 'input') {
      const abandoned = createLedger({ trace_id: thread.trace, run_id, history }).close({
        status: 'cancelled',
      })
      if (abandoned.length > 0) await log.append(thread_id, abandoned)
      thread.trace = crypto.randomUUID()
      thread.tracePosition = await log.last(thread_id)
    }
    const ledger = createLedger({ trace_id: thread.trace, run_id, history })
    const request: RunRequest = { ...run.request, tools: run.tools }
    const outcome = await sourceOf(run.agent).run(request, {
      thread_id,
      run_id,
      trace_id: thread.trace,
      checkpointer,
      emit: (draft: Draft) => log.append(thread_id, ledger.stamp(draft)).then(() => undefined),
      isOpen: (path) => ledger.isOpen(path),
      signal: stop.signal,
      drain: new AbortController().signal,
    })
    if (outcome.status === 'cancelled' || outcome.status === 'success') {
      const left = ledger.close({ status: 'cancelled' })
      if (left.length > 0) await log.append(thread_id, left)
    }
    if (outcome.status === 'error') {
      const left = ledger.close({ ...outcome.error, status: 'error' })
      if (left.length > 0) await log.append(thread_id, left)
    }
    thread.outcome = outcome
    thread.active = null
    const position = await log.last(thread_id)
    if (outcome.status === 'error') return { status: 'error', position, error: outcome.error }
    return { status: outcome.status === 'drained' ? 'cancelled' : outcome.status, position }
  }

  return {
    async start(run) {
      sourceOf(run.agent)
      const thread: Thread = threads.get(run.thread_id) ?? {
        agent: run.agent,
        trace: crypto.randomUUID(),
        tracePosition: 0,
        active: null,
        outcome: null,
        runs: new Map(),
      }
      threads.set(run.thread_id, thread)
      const position = await log.last(run.thread_id)
      if (thread.runs.has(run.run_id)) return { run_id: run.run_id, position: thread.tracePosition }
      if (thread.active !== null) {
        throw new ClewlineError('busy', 'The thread is running another run.', {
          hint: 'Wait for it, or connect to it.',
        })
      }
      thread.active = run.run_id
      const stop = new AbortController()
      thread.runs.set(run.run_id, { settled: execute(thread, run, stop), stop })
      return { run_id: run.run_id, position }
    },
    async *read(thread_id, options) {
      for await (const entry of log.read(thread_id, options)) yield [entry]
    },
    async state(thread_id) {
      const thread = threads.get(thread_id)
      if (thread === undefined) return null
      const state = await sourceOf(thread.agent).state?.({ thread_id, checkpointer })
      const values = state?.values ?? {}
      const interrupts: readonly Interrupt[] =
        thread.outcome?.status === 'interrupted' && thread.active === null ? thread.outcome.interrupts : []
      return {
        values,
        messages: messagesOf(values),
        interrupts,
        status: thread.active === null ? (interrupts.length > 0 ? 'interrupted' : 'idle') : 'busy',
        position: await log.last(thread_id),
        active_run: thread.active,
        trace_position: thread.tracePosition,
      }
    },
    async settled(thread_id, run_id, signal) {
      const run = threads.get(thread_id)?.runs.get(run_id)
      if (run === undefined) throw new ClewlineError('not-found', 'No such run.', { hint: 'Start it first.' })
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      })
      return Promise.race([run.settled, aborted])
    },
    async cancel(thread_id, run_id) {
      const run = threads.get(thread_id)?.runs.get(run_id)
      run?.stop.abort()
      await run?.settled
    },
    async describe(agent) {
      const source = options.agents[agent]
      if (source === undefined) return null
      const { name, description, subagents } = await source.describe()
      return {
        name,
        ...(description !== undefined && { description }),
        ...(subagents !== undefined && { subagents }),
      }
    },
  }
}

function messagesOf(values: Json): readonly Message[] {
  if (typeof values !== 'object' || values === null || !('messages' in values)) return []
  const { messages } = values
  return Array.isArray(messages) ? messages.flatMap((message: Json) => messageOf(message) ?? []) : []
}
