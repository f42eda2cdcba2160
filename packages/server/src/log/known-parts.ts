import type { SegmentStore } from '../store/store.ts'

/**
 * Which parts the logs of this process's threads have, so that none is written twice. To miss one is harmless (it is
 * written again); to know one that was not committed is not, so what a failed batch claimed is dropped.
 */
export interface KnownParts {
  /** The names of a thread's parts: the caller adds those that it writes. */
  of(thread: string, last: number): Promise<Set<string>>
  /** Another process has written these. */
  note(thread: string, names: readonly string[]): void
  drop(thread: string): void
}

/** Names in memory at most, of all threads; those of the threads that were written longest ago go first. */
const MOST = 500_000

export function createKnownParts(segments: Pick<SegmentStore, 'partNames'>): KnownParts {
  const threads = new Map<string, Set<string>>()

  /** Cheap enough for each thread that is new here: a thread counts as one name, too. */
  function evict(): void {
    let names = threads.size
    for (const set of threads.values()) names += set.size
    for (const [thread, set] of threads) {
      if (names <= MOST) return
      threads.delete(thread)
      names -= set.size + 1
    }
  }

  return {
    async of(thread, last) {
      const here = threads.get(thread)
      if (here === undefined) evict()
      const known = here ?? new Set(last === 0 ? [] : await segments.partNames(thread, last))
      // Behind all others: a map keeps the order of insertion.
      threads.delete(thread)
      threads.set(thread, known)
      return known
    },
    note(thread, names) {
      const known = threads.get(thread)
      if (known !== undefined) for (const name of names) known.add(name)
    },
    drop: (thread) => void threads.delete(thread),
  }
}
