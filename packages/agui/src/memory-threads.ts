import { ClewlineError, memoryLog, type Envelope, type EventLog } from '@clewline/core'
import { normalise } from '@clewline/core/message'
import { createLedger, driveRun, threadPool, type RunOutcome, type Source } from '@clewline/core/source'
import type { SettledRun, StartedRun, StartRun, Threads, ThreadState } from './threads.ts'

/** Which agents run on the threads, where their log is, and how much is kept. */
export interface MemoryThreadsOptions {
  readonly agents: Readonly<Record<string, Source>>
  /** Default: in memory. */
  readonly log?: EventLog
  /** Handed to the sources: for LangGraph a `MemorySaver`. */
  readonly checkpointer?: unknown
  /** Idle threads beyond these are forgotten, the longest unused first. Default: none is. */
  readonly limits?: { readonly max: number; readonly idleMs: number }
  /** What stays in a thread's log when new input comes: all of it, or nothing but the trace that begins. Default `thread`. */
  readonly keep?: 'thread' | 'trace'
}

interface Thread {
  agent: string
  trace_id: string
  tracePosition: number
  active: string | null
  outcome: RunOutcome | null
  readonly runs: Map<string, Run>
}

interface Run {
  readonly started: Promise<StartedRun>
  readonly settled: Promise<SettledRun>
  readonly stop: AbortController
}

/**
 * Threads that live as long as the process: all that an AG-UI endpoint needs to stand alone. One run at a time in each,
 * every envelope in the log before a reader sees it.
 */
export function memoryThreads(options: MemoryThreadsOptions): Threads {
  const { log = memoryLog(), checkpointer, keep = 'thread' } = options
  const agents = new Map(Object.entries(options.agents))
  const pool = threadPool<Thread>({
    ...(options.limits ?? { max: Infinity, idleMs: Infinity }),
    make: () => ({
      agent: '',
      trace_id: '',
      tracePosition: 0,
      active: null,
      outcome: null,
      runs: new Map(),
    }),
    onEvict: (thread_id) => void log.remove(thread_id),
  })

  async function begin(thread: Thread, { thread_id, run_id, request }: StartRun): Promise<StartedRun> {
    if (request.kind === 'input' && keep === 'trace') await log.remove(thread_id)
    const position = await log.last(thread_id)
    if (request.kind === 'input') {
      // New input abandons what waited for an answer.
      const history = await traceOf(thread_id, thread)
      const left = createLedger({ trace_id: thread.trace_id, run_id, history }).close({ status: 'cancelled' })
      thread.tracePosition = left.length === 0 ? position : await log.append(thread_id, left)
      thread.trace_id = crypto.randomUUID()
    }
    return { run_id, position }
  }

  async function traceOf(thread_id: string, { tracePosition }: Thread): Promise<readonly Envelope[]> {
    const envelopes: Envelope[] = []
    for await (const entries of log.read(thread_id, { after: tracePosition, follow: false }))
      for (const { envelope } of entries) envelopes.push(envelope)
    return envelopes
  }

  async function execute(
    thread: Thread,
    run: StartRun,
    source: Source,
    signal: AbortSignal,
  ): Promise<SettledRun> {
    const { thread_id, run_id, request, tools, configurable } = run
    const outcome = await driveRun(
      failingAsOutcome(source),
      { ...request, tools, config: { configurable } },
      {
        thread_id,
        run_id,
        trace_id: thread.trace_id,
        history: await traceOf(thread_id, thread),
        checkpointer,
        signal,
        write: async (envelopes) => void (await log.append(thread_id, envelopes)),
      },
    )
    thread.outcome = outcome
    return settledRun(outcome, await log.last(thread_id))
  }

  function runOf(thread_id: string, run_id: string): Run {
    const run = pool.peek(thread_id)?.runs.get(run_id)
    if (run !== undefined) return run
    throw new ClewlineError('not-found', `The thread "${thread_id}" has no run "${run_id}".`, {
      hint: 'Runs are kept in memory: start it again.',
    })
  }

  return {
    async start(run) {
      const { thread_id, run_id } = run
      const source = agents.get(run.agent)
      if (source === undefined) {
        throw new ClewlineError('unknown-agent', `No agent named "${run.agent}".`, {
          hint: `There are: ${[...agents.keys()].join(', ')}.`,
        })
      }
      const known = pool.peek(thread_id)?.runs.get(run_id)
      if (known !== undefined) return await known.started
      const thread = pool.acquire(thread_id)
      if (thread === undefined) {
        throw new ClewlineError('busy', `Another run is going on in the thread "${thread_id}".`, {
          hint: 'Wait for it, connect to it, or cancel it.',
        })
      }
      thread.agent = run.agent
      thread.active = run_id
      if (keep === 'trace') thread.runs.clear()
      const stop = new AbortController()
      const started = begin(thread, run)
      const settled = started
        .then(() => execute(thread, run, source, stop.signal))
        .finally(() => {
          thread.active = null
          pool.release(thread_id)
        })
      // It rejects for those who wait for it; without any it is not an unhandled rejection.
      settled.catch(() => {})
      thread.runs.set(run_id, { started, settled, stop })
      return await started
    },
    read: (thread_id, read) => log.read(thread_id, read),
    async state(thread_id) {
      const thread = pool.peek(thread_id)
      if (thread === undefined) return null
      const state = await agents.get(thread.agent)?.state?.({ thread_id, checkpointer })
      const values = state?.values ?? {}
      return {
        values,
        messages: normalise(values).messages,
        ...standingOf(thread),
        position: await log.last(thread_id),
        active_run: thread.active,
        trace_position: thread.tracePosition,
      }
    },
    async settled(thread_id, run_id, signal) {
      const { settled } = runOf(thread_id, run_id)
      return await new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason)
        if (signal.aborted) abort()
        signal.addEventListener('abort', abort, { once: true })
        settled.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
      })
    },
    async cancel(thread_id, run_id) {
      const { stop, settled } = runOf(thread_id, run_id)
      stop.abort()
      await settled
    },
    describe: async (agent) => (await agents.get(agent)?.describe()) ?? null,
  }
}

function standingOf({ active, outcome }: Thread): Pick<ThreadState, 'status' | 'interrupts'> {
  if (active !== null) return { status: 'busy', interrupts: [] }
  if (outcome?.status === 'interrupted') return { status: 'interrupted', interrupts: outcome.interrupts }
  return { status: outcome?.status === 'error' ? 'error' : 'idle', interrupts: [] }
}

function settledRun(outcome: RunOutcome, position: number): SettledRun {
  if (outcome.status === 'error') return { status: 'error', position, error: outcome.error }
  return { status: outcome.status === 'drained' ? 'cancelled' : outcome.status, position }
}

/** A source that throws breaks its contract; its run has failed all the same. */
function failingAsOutcome(source: Source): Pick<Source, 'run'> {
  return {
    async run(request, context) {
      try {
        return await source.run(request, context)
      } catch (error) {
        const { name, message } = error instanceof Error ? error : new Error(String(error))
        return { status: 'error', error: { name, message } }
      }
    },
  }
}
