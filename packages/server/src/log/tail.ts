import type { SegmentStore } from '../store/store.ts'
import { createDecoder, type Decoder } from './decoder.ts'
import { bytesAfter, type ParsedSegment } from './frames.ts'
import { createKnownParts, type KnownParts } from './known-parts.ts'

/** What waits at the tail of a thread for what comes. */
export interface LiveReader {
  /** Called with each segment after its commit, in order, without a gap. Must not throw. */
  next(segment: ParsedSegment): void
  /** The thread was removed, or the log closed. */
  end(): void
}

/** The tail of one thread's log in this process. */
export interface Tail {
  /** The high-water mark: position of the newest envelope that readers may see. */
  last: number
  readonly readers: Set<LiveReader>
  /** For what other processes append; null when none has. */
  decoder: Decoder | null
}

/** Hands a committed segment to all readers at the tail, and moves it on. */
export function publish(tail: Tail, segment: ParsedSegment): void {
  tail.last = segment.last
  for (const reader of tail.readers) reader.next(segment)
}

/** The tails of all threads that are read or written in this process. */
export interface Tails {
  open(thread: string): Promise<Tail>
  /** Joins if the reader has everything up to `position` and nothing is beyond it; otherwise false. */
  follow(thread: string, position: number, reader: LiveReader): boolean
  leave(thread: string, reader: LiveReader): void
  /** Publishes what another process has appended to the thread; to any thread, without one. */
  refresh(thread?: string): Promise<void>
  /** Publishes what the store has beyond the tail: another process has appended it. */
  loadNewer(thread: string, tail: Tail): Promise<void>
  readonly known: KnownParts
  /** Ends the readers of a thread that was removed. */
  remove(thread: string): void
  /** Counts the removals of the thread: a reader that sees it change is at its end. */
  generation(thread: string): number
  readers(): number
  /** Evicts tails without readers, when there are many. */
  evict(): void
  close(): void
}

const MAX_IDLE_TAILS = 1_000
/** Removed threads whose readers may not have noticed. */
const MAX_GENERATIONS = 10_000
/** Bytes that are read from the store in one go. */
export const PAGE_BYTES = 256 * 1024

export function createTails(segments: SegmentStore): Tails {
  const tails = new Map<string, Tail>()
  const opening = new Map<string, Promise<Tail>>()
  const generations = new Map<string, number>()
  const known = createKnownParts(segments)

  async function load(thread: string): Promise<Tail> {
    try {
      const tail: Tail = { last: await segments.last(thread), readers: new Set(), decoder: null }
      tails.set(thread, tail)
      return tail
    } finally {
      // Also when the store was unavailable: the next caller tries again.
      opening.delete(thread)
    }
  }

  /** A tail without readers is a cache of what the store has. */
  function evictIdle(): void {
    for (const [thread, tail] of tails) if (tail.readers.size === 0) tails.delete(thread)
  }

  function followedFirst(): readonly string[] {
    return [...tails].sort(([, a], [, b]) => b.readers.size - a.readers.size).map(([thread]) => thread)
  }

  async function loadNewer(thread: string, tail: Tail): Promise<void> {
    for (;;) {
      const rows = await segments.read(thread, tail.last, PAGE_BYTES)
      const before = tail.last
      for (const row of rows) {
        tail.decoder ??= createDecoder(segments, thread)
        const segment = await tail.decoder.decode(row)
        // Idempotent: a concurrent call may publish the same rows, and each is published once, in its turn. Compaction may
        // have put one row in the place of several, of which the tail has the first.
        if (segment.first <= tail.last + 1 && segment.last > tail.last)
          publish(tail, after(segment, tail.last))
        known.note(thread, segment.parts)
      }
      if (tail.last === before) break
    }
    // The parts of earlier rows are memory; without readers they may wait in the store.
    if (tail.readers.size === 0) tail.decoder = null
  }

  const generation = (thread: string): number => generations.get(thread) ?? 0

  return {
    async open(thread) {
      const known = tails.get(thread) ?? opening.get(thread)
      if (known !== undefined) return known
      const loading = load(thread)
      opening.set(thread, loading)
      return loading
    },
    follow(thread, position, reader) {
      const tail = tails.get(thread)
      if (tail === undefined || tail.last !== position) return false
      tail.readers.add(reader)
      return true
    },
    leave(thread, reader) {
      tails.get(thread)?.readers.delete(reader)
    },
    async refresh(thread) {
      for (const id of thread === undefined ? followedFirst() : [thread]) {
        const tail = tails.get(id)
        if (tail !== undefined) await loadNewer(id, tail)
      }
    },
    loadNewer,
    known,
    remove(thread) {
      known.drop(thread)
      const tail = tails.get(thread)
      tails.delete(thread)
      generations.set(thread, generation(thread) + 1)
      // Evicting an old counter resets it to 0: its readers see a changed generation and reconnect.
      const [oldest] = generations.size > MAX_GENERATIONS ? generations.keys() : []
      if (oldest !== undefined) generations.delete(oldest)
      for (const reader of tail?.readers ?? []) reader.end()
    },
    generation,
    readers: () => [...tails.values()].reduce((sum, tail) => sum + tail.readers.size, 0),
    evict() {
      // In the next turn: a caller that was just handed a tail has joined it by then.
      if (tails.size > MAX_IDLE_TAILS) setImmediate(evictIdle)
    },
    close() {
      for (const tail of tails.values()) for (const reader of tail.readers) reader.end()
    },
  }
}

function after(segment: ParsedSegment, position: number): ParsedSegment {
  if (segment.first > position) return segment
  return {
    ...segment,
    first: position + 1,
    bytes: bytesAfter(segment, position),
    entries: segment.entries.filter((entry) => entry.position > position),
  }
}
