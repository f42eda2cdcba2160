import { type Envelope, ClewlineError } from '@clewline/core'
import type { Fence, Settlement } from '../store/store.ts'

/** Envelopes of one thread on their way into the log, and who waits for them. */
export interface Batch {
  readonly thread: string
  readonly fence: Fence | undefined
  envelopes: Envelope[]
  /** When the first envelope came, in ms of `performance.now()`. */
  readonly since: number
  settle: Settlement | undefined
  readonly done: Promise<number>
  /** Why it was rejected, known at once: `done` tells it a turn later. */
  failure: Error | null
  resolve(position: number): void
  reject(error: unknown): void
}

export function createBatch(thread: string, fence: Fence | undefined): Batch {
  let resolve: (position: number) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const done = new Promise<number>((yes, no) => {
    resolve = yes
    reject = no
  })
  // Whoever waits hears of a failure; a batch that nobody waits for must not end the process.
  done.catch(() => {})
  const batch: Batch = {
    thread,
    fence,
    envelopes: [],
    since: performance.now(),
    settle: undefined,
    done,
    failure: null,
    resolve,
    reject(error) {
      batch.failure = error instanceof Error ? error : new Error(String(error))
      reject(batch.failure)
    },
  }
  return batch
}

export function fencedOff(batch: Batch): ClewlineError {
  const who =
    batch.fence === undefined ? 'An append' : `Attempt ${batch.fence.attempt} of run ${batch.fence.run_id}`
  return new ClewlineError('conflict', `${who} no longer holds the thread ${batch.thread}.`, {
    hint: 'Another worker has taken the run over; this one must stop.',
  })
}
