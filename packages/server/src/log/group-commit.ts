import { ClewlineError, type Entry, type Envelope } from '@clewline/core'
import type { Append, Fence, SegmentStore, Settlement } from '../store/store.ts'
import { logEncoder } from './encode-envelope.ts'
import { type ParsedSegment, rowsOf } from './frames.ts'
import { publish, type Tail, type Tails } from './tail.ts'

/** Envelopes of one thread that are committed together. */
export interface Batch {
  readonly thread: string
  readonly fence: Fence | undefined
  readonly envelopes: Envelope[]
  /** When the batch was opened, in ms of `performance.now()`. */
  readonly since: number
  settle: Settlement | undefined
  /** Resolves with the last position once it is durable. */
  readonly done: Promise<number>
  /** Why it was rejected, known at once: `done` rejects a turn later. */
  failure: Error | null
  resolve(position: number): void
  reject(error: unknown): void
}

/** Group commit: gathers what threads append for a few milliseconds, commits it in one transaction, then publishes it. */
export interface GroupCommit {
  /** The batch that takes what the thread appends next. */
  batch(thread: string, fence: Fence | undefined): Batch
  /** Whether everything that was appended to the thread is committed. */
  isIdle(thread: string): boolean
  /** Commits within `lingerMs`, with what comes until then; or at once. */
  schedule(when: 'soon' | 'now'): void
  /** Resolves when nothing is left to commit. */
  close(): Promise<void>
}

export interface GroupCommitOptions {
  readonly lingerMs: number
  readonly onAppend: (envelopes: number, bytes: number, seconds: number) => void
}

export function groupCommit(segments: SegmentStore, tails: Tails, options: GroupCommitOptions): GroupCommit {
  const { lingerMs, onAppend } = options
  const encoderFor = logEncoder()
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
      // The first batch after a quiet while does not wait.
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
    tails.evict()
  }

  async function commit(batches: readonly Batch[]): Promise<void> {
    try {
      const opened = await Promise.all(batches.map((batch) => tails.open(batch.thread)))
      const known = await Promise.all(batches.map(({ thread }, i) => tails.known.of(thread, opened[i]!.last)))
      const started = performance.now()
      const built = batches.map((batch, i) => encodeRows(batch, opened[i]!, known[i]!))
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

  /** What its writer has appended since fails with it: committed, it would leave a gap in `seq`. */
  function fail(batch: Batch, error: unknown): void {
    tails.known.drop(batch.thread)
    const isAfter = (one: Batch): boolean => one.thread === batch.thread && one.fence === batch.fence
    const after = pending.filter(isAfter)
    pending = pending.filter((one) => !isAfter(one))
    for (const one of [batch, ...after]) one.reject(error)
  }

  function encodeRows({ envelopes }: Batch, tail: Tail, known: Set<string>): ParsedSegment[] {
    const first = tail.last + 1
    const entries = envelopes.map((envelope, i): Entry => ({ position: first + i, envelope }))
    return rowsOf(entries, first, encoderFor(known))
  }

  function show(batch: Batch, rows: readonly ParsedSegment[], tail: Tail, seconds: number): void {
    for (const row of rows) {
      // Unless `loadNewer` has published it already.
      if (row.entries.length > 0 && row.first === tail.last + 1) publish(tail, row)
      onAppend(row.entries.length, row.bytes.length, seconds)
    }
    batch.resolve(rows.at(-1)?.last ?? tail.last)
  }

  async function refuse(batch: Batch, tail: Tail): Promise<void> {
    // Only for readers here: if it fails, the batches beside this one are committed all the same.
    await tails.loadNewer(batch.thread, tail).catch(() => {})
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

function createBatch(thread: string, fence: Fence | undefined): Batch {
  let resolve: (position: number) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const done = new Promise<number>((yes, no) => {
    resolve = yes
    reject = no
  })
  // A rejection that is not awaited must not end the process.
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

function fencedOff({ thread, fence }: Batch): ClewlineError {
  const who = fence === undefined ? 'An append' : `Attempt ${fence.attempt} of run ${fence.run_id}`
  return new ClewlineError('conflict', `${who} no longer holds the thread ${thread}.`, {
    hint: 'Another worker has taken the run over; this one must stop.',
  })
}

/** The rows of a batch are accepted or refused together: the store takes each only at the end of the log. */
function appendsOf({ thread, fence, settle }: Batch, rows: readonly ParsedSegment[]): Append[] {
  return rows.map(({ first, last, bytes, parts }, i) => ({
    thread_id: thread,
    first,
    last,
    bytes,
    parts,
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
