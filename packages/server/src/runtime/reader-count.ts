import type { Parts } from './parts.ts'
import type { RunsOfThreads } from './runs.ts'

/** Knows whether anyone watches a thread, for runs that were asked to stop when nobody does. */
export interface ReaderCount {
  join(thread_id: string): void
  leave(thread_id: string): void
}

/** A reader that comes back this soon has not left: a page was reloaded, a network changed. */
const GRACE_MS = 2_000

export function countReaders(parts: Parts, runs: RunsOfThreads): ReaderCount {
  const counts = new Map<string, number>()

  async function stopUnwatched(thread_id: string): Promise<void> {
    if (counts.has(thread_id)) return
    for (const run of await parts.store.runs.active(thread_id)) {
      if (run.request.on_disconnect === 'cancel') await runs.cancel(thread_id, run.run_id)
    }
  }

  return {
    join(thread_id) {
      counts.set(thread_id, (counts.get(thread_id) ?? 0) + 1)
    },
    leave(thread_id) {
      const left = (counts.get(thread_id) ?? 1) - 1
      if (left > 0) counts.set(thread_id, left)
      else {
        counts.delete(thread_id)
        // The store may be closed by then, and with it every run: there is nothing left to stop.
        setTimeout(() => void stopUnwatched(thread_id).catch(() => {}), GRACE_MS).unref()
      }
    },
  }
}
