import { ClewlineError, type Entry, type Envelope } from '@clewline/core'
import type { Threads } from '@clewline/agui'
import { createLedger } from '@clewline/core/source'

/** Threads as one HTTP request sees them. */
export interface EndpointThreads {
  readonly threads: Threads
  /** The client has disconnected: without a durable log it was the only possible reader, so the run ends. */
  readonly stop: () => void
}

/** A busy thread answers with a run that ends at once in `THREAD_BUSY`, as AG-UI clients expect, not with a status. */
export function endpointThreads(shared: Threads, name: string): EndpointThreads {
  let started: { readonly thread_id: string; readonly run_id: string } | undefined
  let refused: { readonly run_id: string; readonly entries: readonly Entry[] } | undefined

  const threads: Threads = {
    ...shared,
    async start(run) {
      try {
        const result = await shared.start(run)
        started = run
        return result
      } catch (error) {
        if (!(error instanceof ClewlineError) || error.code !== 'busy') throw error
        refused = { run_id: run.run_id, entries: refusal(name, run.run_id, error.message) }
        return { run_id: run.run_id, position: 0 }
      }
    },
    read: (thread_id, options) =>
      refused === undefined ? shared.read(thread_id, options) : replay(refused.entries),
    async settled(thread_id, run_id, signal) {
      if (refused?.run_id !== run_id) return await shared.settled(thread_id, run_id, signal)
      const error = { name: 'THREAD_BUSY', message: 'Another run is going on in this thread.' }
      return { status: 'error', position: refused.entries.length, error }
    },
  }
  return {
    threads,
    stop() {
      if (started === undefined) return
      shared.cancel(started.thread_id, started.run_id).catch(() => {})
    },
  }
}

function refusal(name: string, run_id: string, message: string): readonly Entry[] {
  const ledger = createLedger({ trace_id: run_id, run_id })
  const start = { tool_name: name, kind: 'graph' as const, input: null }
  const failure = { name: 'THREAD_BUSY', message, stack: '', class: 'THREAD_BUSY' }
  const envelopes: readonly Envelope[] = [
    ...ledger.stamp({ type: 'tool_start', path: [], agent: name, payload: start }),
    ...ledger.stamp({ type: 'error', path: [], agent: name, payload: failure }),
  ]
  return envelopes.map((envelope, i) => ({ position: i + 1, envelope }))
}

async function* replay(entries: readonly Entry[]): AsyncGenerator<readonly Entry[], void> {
  yield entries
}
