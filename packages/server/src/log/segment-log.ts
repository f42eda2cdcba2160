import type { Envelope, EventLog } from '@clewline/core'
import type { Part } from '@clewline/core/parts'
import type { Fence, SegmentStore, Settlement } from '../store/store.ts'
import { createDecoder, type Decoder, type DecoderOptions } from './decoder.ts'
import { type Batch, groupCommit } from './group-commit.ts'
import { readEntries } from './read-entries.ts'
import { readParts } from './read-parts.ts'
import { createTails, PAGE_BYTES, type Tail, type Tails } from './tail.ts'

/** The durable log: batches what is appended, commits, and only then publishes it to readers. */
export interface SegmentLog
  extends EventLog, Pick<Tails, 'follow' | 'leave' | 'refresh' | 'generation' | 'readers'> {
  /** Opens a thread for appending by one run. */
  writer(thread: string, fence?: Fence): LogWriter
  tail(thread: string): Promise<Tail>
  /** What the store has after `after`, about a page of it. */
  page(thread: string, after: number): ReturnType<SegmentStore['read']>
  /** Makes entries of rows that `page` gave. */
  decoder(thread: string, options?: DecoderOptions): Decoder
  /** Parts by their names, and the parts that those refer to, up to about `bytes`. What the thread lacks is left out. */
  parts(thread: string, names: readonly string[], bytes: number): Promise<readonly Part[]>
  /** Ends the readers of a thread whose log another process has removed. */
  forget(thread: string): void
  close(): Promise<void>
}

export interface LogWriter {
  /** Takes envelopes. A promise is backpressure: it resolves when there is room for more. Throws once fenced off. */
  push(envelopes: readonly Envelope[]): void | Promise<void>
  /** Resolves when everything pushed is durable and published; with a settlement, the run has ended in the same transaction. */
  flush(settle?: Settlement): Promise<number>
}

export interface SegmentLogOptions {
  /** How long a batch may wait for more. The first one after a quiet while does not wait. Default 8. */
  readonly lingerMs?: number
  /** A batch of so many envelopes is flushed at once, and its writers wait for the flush. Default 256. */
  readonly batch?: number
  readonly onAppend?: (envelopes: number, bytes: number, seconds: number) => void
}

/** A model that never waits gives everyone else a turn of the event loop so often. */
const TURN_MS = 1
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export function segmentLog(segments: SegmentStore, options: SegmentLogOptions = {}): SegmentLog {
  const { lingerMs = 8, batch: batchSize = 256, onAppend = () => {} } = options
  const tails = createTails(segments)
  const commits = groupCommit(segments, tails, { lingerMs, onAppend })
  let yieldedAt = 0

  function writer(thread: string, fence?: Fence): LogWriter {
    // A batch that fails takes those after it along, so the newest one knows.
    let newest: Batch | null = null
    return {
      push(envelopes) {
        if (newest?.failure) throw newest.failure
        const batch = (newest = commits.batch(thread, fence))
        for (const envelope of envelopes) batch.envelopes.push(envelope)
        const now = performance.now()
        // A batch that has waited too long is a sign that its timer does not get its turn.
        if (batch.envelopes.length >= batchSize || now - batch.since > lingerMs) {
          commits.schedule('now')
          yieldedAt = now
          return batch.done.then(turn)
        }
        commits.schedule('soon')
        if (now - Math.max(batch.since, yieldedAt) < TURN_MS) return
        yieldedAt = now
        return turn()
      },
      flush(settle) {
        if (newest?.failure) return Promise.reject(newest.failure)
        if (settle === undefined && commits.isIdle(thread)) {
          return tails.open(thread).then((tail) => tail.last)
        }
        const batch = (newest = commits.batch(thread, fence))
        batch.settle = settle
        commits.schedule('now')
        return batch.done
      },
    }
  }

  const log: SegmentLog = {
    ...tails,
    writer,
    read: (thread, readOptions) => readEntries(log, thread, readOptions),
    tail: (thread) => tails.open(thread),
    page: (thread, after) => segments.read(thread, after, PAGE_BYTES),
    decoder: (thread, decoderOptions) => createDecoder(segments, thread, decoderOptions),
    parts: (thread, names, bytes) => readParts(segments, thread, names, bytes),
    async append(thread, envelopes) {
      if (envelopes.length === 0) return (await tails.open(thread)).last
      const batch = commits.batch(thread, undefined)
      for (const envelope of envelopes) batch.envelopes.push(envelope)
      const mine = batch.envelopes.length
      commits.schedule('now')
      // Others may have joined the batch after it.
      return batch.done.then((last) => last - (batch.envelopes.length - mine))
    },
    last: async (thread) => (await tails.open(thread)).last,
    forget: (thread) => tails.remove(thread),
    async remove(thread) {
      await segments.remove(thread)
      tails.remove(thread)
    },
    async close() {
      await commits.close()
      tails.close()
    },
  }
  return log
}
