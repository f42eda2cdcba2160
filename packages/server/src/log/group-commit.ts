import type { Entry } from '@clewline/core'
import type { Append, Fence, SegmentStore } from '../store/store.ts'
import { type Batch, createBatch, fencedOff } from './batch.ts'
import { catchUp } from './catch-up.ts'
import { type Channel, type LiveSegment, publish } from './channel.ts'
import type { Channels } from './channels.ts'
import { envelopeEncoder } from './encode-envelope.ts'
import { segmentOf } from './frames.ts'

/** Gathers what threads append for a few milliseconds, commits it in one transaction, and then shows it. */
export interface GroupCommit {
  /** The batch that takes what the thread appends next. */
  batch(thread: string, fence: Fence | undefined): Batch
  /** Whether everything that was appended to the thread is committed. */
  isIdle(thread: string): boolean
  /** Commits soon, in company; or at once. */
  schedule(when: 'soon' | 'now'): void
  /** Resolves when nothing is left to commit. */
  close(): Promise<void>
}

export interface GroupCommitOptions {
  readonly lingerMs: number
  readonly onAppend: (envelopes: number, bytes: number, seconds: number) => void
}

/** Envelopes in a row at most: reading the tail of a larger one would cost. */
const ROW = 512

export function groupCommit(
  segments: SegmentStore,
  channels: Channels,
  options: GroupCommitOptions,
): GroupCommit {
  const { lingerMs, onAppend } = options
  const encode = envelopeEncoder()
  let pending: Batch[] = []
  let isFlushing = false
  let cancelTimer: (() => void) | null = null
  let flushedAt = 0

  function schedule(when: 'soon' | 'now'): void {
    if (isFlushing) return
    if (when === 'now') {
      cancelTimer?.()
      cancelTimer = null
      void flush()
    } else if (cancelTimer === null) {
      // The first batch after a pause does not wait.
      cancelTimer = later(flushedAt + lingerMs - performance.now(), () => {
        cancelTimer = null
        void flush()
      })
    }
  }

  async function flush(): Promise<void> {
    if (isFlushing) return
    isFlushing = true
    while (pending.length > 0) {
      // Two batches of one thread do not share a transaction: the second's positions depend on the first's fate.
      const seen = new Set<string>()
      const now = pending.filter((batch) => !seen.has(batch.thread) && seen.add(batch.thread))
      pending = pending.filter((batch) => !now.includes(batch))
      await commit(now)
    }
    flushedAt = performance.now()
    isFlushing = false
    channels.tidy()
  }

  async function commit(batches: readonly Batch[]): Promise<void> {
    try {
      const opened = await Promise.all(batches.map((batch) => channels.open(batch.thread)))
      const started = performance.now()
      const built = batches.map((batch, i) => rowsOf(batch, opened[i]!))
      const appends = built.flatMap((rows, i) => appendsOf(batches[i]!, rows))
      const accepted = await segments.append(appends)
      const seconds = (performance.now() - started) / 1000
      let next = 0
      for (const [i, batch] of batches.entries()) {
        const rows = built[i]!
        const isAccepted = accepted[next] === true
        next += rows.length
        if (isAccepted) show(batch, rows, opened[i]!, seconds)
        else await refuse(batch, opened[i]!)
      }
    } catch (error) {
      for (const batch of batches) fail(batch, error)
    }
  }

  /** What its writer has appended since falls with it: the log would have a hole. */
  function fail(batch: Batch, error: unknown): void {
    const isAfter = (one: Batch): boolean => one.thread === batch.thread && one.fence === batch.fence
    const after = pending.filter(isAfter)
    pending = pending.filter((one) => !isAfter(one))
    for (const one of [batch, ...after]) one.reject(error)
  }

  /** At least one row, even of nothing, so that a run can end without a word. */
  function rowsOf(batch: Batch, channel: Channel): LiveSegment[] {
    const first = channel.last + 1
    const entries = batch.envelopes.map((envelope, i): Entry => ({ position: first + i, envelope }))
    const rows: LiveSegment[] = []
    for (let from = 0; from < entries.length || from === 0; from += ROW) {
      const part = entries.slice(from, from + ROW)
      rows.push({ ...segmentOf(part, first + from, encode), entries: part })
    }
    return rows
  }

  function show(batch: Batch, rows: readonly LiveSegment[], channel: Channel, seconds: number): void {
    for (const row of rows) {
      // Unless a look for what others appended has shown it already.
      if (row.entries.length > 0 && row.first === channel.last + 1) publish(channel, row)
      onAppend(row.entries.length, row.bytes.length, seconds)
    }
    batch.resolve(rows.at(-1)?.last ?? channel.last)
  }

  async function refuse(batch: Batch, channel: Channel): Promise<void> {
    // Only news for readers: if the look fails, the batches beside this one are committed all the same.
    await catchUp(segments, batch.thread, channel).catch(() => {})
    fail(batch, fencedOff(batch))
  }

  return {
    batch(thread, fence) {
      const open = pending.findLast((batch) => batch.thread === thread)
      if (open !== undefined && open.fence === fence && open.settle === undefined) return open
      const batch = createBatch(thread, fence)
      pending.push(batch)
      return batch
    },
    isIdle: (thread) => !isFlushing && !pending.some((batch) => batch.thread === thread),
    schedule,
    async close() {
      while (pending.length > 0 || isFlushing) await new Promise((resolve) => setImmediate(resolve))
      cancelTimer?.()
    },
  }
}

/** The rows of a batch stand or fall together: the store takes each only at the end of the log. */
function appendsOf({ thread, fence, settle }: Batch, rows: readonly LiveSegment[]): Append[] {
  return rows.map(({ first, last, bytes }, i) => ({
    thread_id: thread,
    first,
    last,
    bytes,
    ...(fence === undefined ? {} : { fence }),
    ...(settle === undefined || i < rows.length - 1 ? {} : { settle }),
  }))
}

function later(ms: number, work: () => void): () => void {
  if (ms <= 0) {
    const immediate = setImmediate(work)
    return () => clearImmediate(immediate)
  }
  const timeout = setTimeout(work, ms)
  return () => clearTimeout(timeout)
}
