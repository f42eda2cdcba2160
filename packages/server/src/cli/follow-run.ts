import { setTimeout as sleep } from 'node:timers/promises'
import { ClewlineError } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import type { RunState, Target } from './target.ts'
import type { Show } from './show.ts'

const POLL_MS = 100

export interface Following {
  readonly thread_id: string
  readonly run_id: string
  /** The run's envelopes come after this position. */
  readonly position: number
}

/** Shows a run until it is over or waits, with nothing of it left out. When `stop` aborts, the run is cancelled. */
export async function followRun(
  target: Target,
  { thread_id, run_id, position }: Following,
  show: Show,
  stop: AbortSignal,
): Promise<RunState> {
  const reading = new AbortController()
  const cancel = (): void => void target.cancel(thread_id, run_id).catch(() => undefined)
  stop.addEventListener('abort', cancel)
  if (stop.aborted) cancel()
  let seen = position
  let end = Infinity

  const settled = (async () => {
    try {
      const state = await settle(target, thread_id, run_id)
      end = await target.last(thread_id)
      if (seen >= end) reading.abort()
      return state
    } catch (error) {
      reading.abort()
      throw error
    }
  })()
  // Awaited below; until then a failure is not unhandled, it only ends the reading.
  settled.catch(() => undefined)

  try {
    const entries = target.read(thread_id, { after: position, follow: true, signal: reading.signal })
    for await (const entry of eachEntry(entries)) {
      await show.push(entry)
      seen = entry.position
      if (seen >= end) break
    }
    return await settled
  } finally {
    reading.abort()
    stop.removeEventListener('abort', cancel)
  }
}

async function settle(target: Target, thread_id: string, run_id: string): Promise<RunState> {
  for (;;) {
    const state = await target.run(thread_id, run_id).catch((error: unknown) => {
      // A server that restarts takes its runs up again; one that has too many requests answers later.
      if (error instanceof ClewlineError && (error.code === 'unavailable' || error.code === 'rate-limited')) {
        return null
      }
      throw error
    })
    if (state !== null && state.status !== 'pending' && state.status !== 'running') return state
    await sleep(POLL_MS)
  }
}
