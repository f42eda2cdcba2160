import type { Entry } from '@clewline/core'
import type { NewPart } from '@clewline/core/parts'
import type { NewSegment, Segment, SegmentStore } from '../store/store.ts'
import { createDecoder } from './decoder.ts'
import { logEncoder } from './encode-envelope.ts'
import { framesOf, rowsOf, withParts } from './frames.ts'

/**
 * Makes rows of a log out of other rows of it. Every part of the old rows stands in the new ones, also one that no
 * envelope among them refers to any more: a later row may.
 */
export interface Rewriter {
  /** The entries of an old row. Rows come in the order of the log. */
  take(segment: Segment, after?: number): Promise<readonly Entry[]>
  /** New rows that stand for the positions from `first` on, after those that were made before. */
  rows(entries: readonly Entry[], first: number): NewSegment[]
}

export async function createRewriter(
  segments: Pick<SegmentStore, 'partNames' | 'rowsOfParts'>,
  thread: string,
  after: number,
): Promise<Rewriter> {
  const decoder = createDecoder(segments, thread)
  const encoderFor = logEncoder()
  const written = new Set(await segments.partNames(thread, after))
  const owed = new Map<string, NewPart>()

  return {
    async take(segment, from = 0) {
      for (const frame of framesOf(segment)) {
        if (frame.type === 'part' && !written.has(frame.name))
          owed.set(frame.name, { hash: frame.name, json: frame.value })
      }
      return (await decoder.decode(segment, from)).entries
    },
    rows(entries, first) {
      const rows = rowsOf(entries, first, encoderFor(written))
      for (const { parts } of rows) for (const name of parts) owed.delete(name)
      const last = rows.pop()
      if (last === undefined || last.entries.length === 0) return rows
      const orphans = [...owed.values()]
      owed.clear()
      for (const { hash } of orphans) written.add(hash)
      return [...rows, withParts(last, orphans)]
    },
  }
}
