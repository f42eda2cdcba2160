import { randomUUID } from 'node:crypto'
import type { SettledRun, StartRun, Threads } from '@clewline/agui'
import { memoryLog, ClewlineError } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import { normalise } from '@clewline/core/message'
import type { RunOutcome, Source } from '@clewline/core/source'
import { threadPool } from './thread-pool.ts'

interface Run {
  readonly stop: AbortController
  readonly over: Promise<SettledRun>
}

interface Thread {
  readonly runs: Map<string, Run>
  active: string | null
  status: 'idle' | 'busy' | 'error'
  tracePosition: number
}

export interface LocalThreadLimits {
  readonly max: number
  readonly idleMs: number
}

/** Runs one source in this process, with a log in memory: all that an AG-UI endpoint needs to stand alone. */
export function localThreads(source: Source, limits: LocalThreadLimits): Threads {
  const log = memoryLog()
  const pool = threadPool<Thread>({
    ...limits,
    make: () => ({ runs: new Map(), active: null, status: 'idle', tracePosition: 0 }),
    onEvict: (thread) => void log.remove(thread),
  })

  async function execute(start: StartRun, thread: Thread, signal: AbortSignal): Promise<SettledRun> {
    const { thread_id, run_id } = start
    const trace_id = randomUUID()
    const ledger = createLedger({ trace_id, run_id })
    let settled: RunOutcome
    try {
      settled = await source.run(
        { ...start.request, tools: start.tools, config: { configurable: start.configurable } },
        {
          thread_id,
          run_id,
          trace_id,
          checkpointer: undefined,
          emit: async (draft) => void (await log.append(thread_id, ledger.stamp(draft))),
          isOpen: (path) => ledger.isOpen(path),
          signal,
          drain: new AbortController().signal,
        },
      )
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      settled = { status: 'error', error: { name: 'LANGROID_ERROR', message } }
    }
    const leftovers = ledger.close(
      settled.status === 'error' ? { status: 'error', ...settled.error } : { status: 'cancelled' },
    )
    await log.append(thread_id, leftovers)
    const position = await log.last(thread_id)
    thread.status = settled.status === 'error' ? 'error' : 'idle'
    thread.active = null
    pool.release(thread_id)
    if (settled.status === 'error') return { status: 'error', position, error: settled.error }
    return { status: settled.status === 'success' ? 'success' : 'cancelled', position }
  }

  function runOf(thread_id: string, run_id: string): Run {
    const run = pool.peek(thread_id)?.runs.get(run_id)
    if (run !== undefined) return run
    throw new ClewlineError('not-found', `The thread "${thread_id}" has no run "${run_id}".`, {
      hint: 'Runs are kept in memory: start it again.',
    })
  }

  return {
    async start(start) {
      const { thread_id, run_id } = start
      const known = pool.peek(thread_id)
      if (known?.runs.has(run_id)) return { run_id, position: known.tracePosition }
      const thread = pool.acquire(thread_id)
      if (thread === undefined) {
        throw new ClewlineError('busy', `Another run is going on in the thread "${thread_id}".`, {
          hint: 'Wait for it, or cancel it.',
        })
      }
      // Nobody can come back for an earlier run: without this a long thread would grow for ever.
      await log.remove(thread_id)
      const position = await log.last(thread_id)
      thread.active = run_id
      thread.status = 'busy'
      thread.tracePosition = position
      const stop = new AbortController()
      thread.runs.clear()
      thread.runs.set(run_id, { stop, over: execute(start, thread, stop.signal) })
      return { run_id, position }
    },
    async *read(thread_id, options) {
      for await (const entry of log.read(thread_id, options)) yield [entry]
    },
    async state(thread_id) {
      const thread = pool.peek(thread_id)
      if (thread === undefined) return null
      const state = await source.state?.({ thread_id, checkpointer: undefined })
      const values = state?.values ?? {}
      return {
        values,
        messages: normalise(values).messages,
        interrupts: [],
        status: thread.status,
        position: await log.last(thread_id),
        active_run: thread.active,
        trace_position: thread.tracePosition,
      }
    },
    async settled(thread_id, run_id, signal) {
      const { over } = runOf(thread_id, run_id)
      return await new Promise((resolve, reject) => {
        const abort = (): void => reject(signal.reason)
        if (signal.aborted) abort()
        signal.addEventListener('abort', abort, { once: true })
        void over.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
      })
    },
    async cancel(thread_id, run_id) {
      runOf(thread_id, run_id).stop.abort()
    },
    async describe(agent) {
      return agent === source.name ? await source.describe() : null
    },
  }
}
