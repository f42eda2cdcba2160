import type { SegmentStore } from '../store/store.ts'
import { framesOf } from './frames.ts'

/** The parts of one thread as JSON texts: those of the rows that were read, and any other from the store. */
export interface PartTexts {
  /** Notes a part that stands in a row that was read. */
  note(name: string, value: string): void
  get(name: string): string | undefined
  /** Reads parts from the store, with those that stand near them. Resolves with those that it found. */
  fetch(names: readonly string[]): Promise<readonly string[]>
  /** Characters that are held. */
  size(): number
}

/** Each fetch brings more of what is around: the messages of a conversation stand one after the other. */
const AROUND = { first: 64 * 1024, most: 4 * 1024 * 1024 }

export function createPartTexts(segments: Pick<SegmentStore, 'rowsOfParts'>, thread: string): PartTexts {
  const texts = new Map<string, string>()
  let around: number = AROUND.first
  let size = 0

  function note(name: string, value: string): void {
    if (texts.has(name)) return
    texts.set(name, value)
    size += value.length
  }

  return {
    note,
    get: (name) => texts.get(name),
    async fetch(names) {
      const rows = await segments.rowsOfParts(thread, names, around)
      around = Math.min(around * 4, AROUND.most)
      for (const row of rows)
        for (const frame of framesOf(row)) if (frame.type === 'part') note(frame.name, frame.value)
      return names.filter((name) => texts.has(name))
    },
    size: () => size,
  }
}
