import type { Entry } from '../event-log.ts'
import { createFold, type Fold } from './fold.ts'
import { EMPTY_VIEW, type View } from './view.ts'

/** A log that is being watched, with every moment of it in reach: live, replay and scrubbing are one code path. */
export interface Timeline {
  add(entry: Entry): void
  readonly length: number
  /** The view after the first `n` entries. */
  at(n: number): View
  latest(): View
  entry(index: number): Entry | undefined
}

// A snapshot shares what did not change, so it costs a few pointers per call; 1,000 folds cost about a millisecond.
const STEP = 1000

/** A timeline of these entries; more can be added. */
export function createTimeline(entries: Iterable<Entry> = []): Timeline {
  const all: Entry[] = []
  const snapshots: View[] = [EMPTY_VIEW]
  const live = createFold()
  // Where the last `at` stopped, so that playing forward folds each entry once.
  let cursor: { fold: Fold; n: number } = { fold: createFold(), n: 0 }

  function add(entry: Entry): void {
    all.push(entry)
    live.apply(entry)
    if (all.length % STEP === 0) snapshots.push(live.snapshot())
  }

  function at(n: number): View {
    const target = Math.min(Math.max(0, Math.trunc(n)), all.length)
    if (target === all.length) return live.snapshot()
    const nearest = Math.floor(target / STEP)
    if (cursor.n > target || cursor.n < nearest * STEP) {
      cursor = { fold: createFold(snapshots[nearest]), n: nearest * STEP }
    }
    for (const entry of all.slice(cursor.n, target)) cursor.fold.apply(entry)
    cursor.n = target
    return cursor.fold.snapshot()
  }

  for (const entry of entries) add(entry)
  return {
    add,
    get length() {
      return all.length
    },
    at,
    latest: () => live.snapshot(),
    entry: (index) => all[index],
  }
}
