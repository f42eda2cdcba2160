import { type Envelope, SkeinError } from '@skein/core'
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
  return { thread, fence, envelopes: [], since: performance.now(), settle: undefined, done, resolve, reject }
}

export function fencedOff(batch: Batch): SkeinError {
  const who =
    batch.fence === undefined ? 'An append' : `Attempt ${batch.fence.attempt} of run ${batch.fence.run_id}`
  return new SkeinError('conflict', `${who} no longer holds the thread ${batch.thread}.`, {
    hint: 'Another worker has taken the run over; this one must stop.',
  })
}
