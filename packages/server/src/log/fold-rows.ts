import { foldTokens } from '@clewline/core/read'
import type { Segment } from '../store/store.ts'
import { entriesOf, rowsOf } from './frames.ts'

/** Rows that stand for the same positions and read the same, and how many envelopes they have less. */
export interface FoldedRows {
  readonly rows: readonly Segment[]
  readonly saved: number
}

/** Folds the tokens in neighbouring rows of a log. Null when nothing can be folded. */
export async function foldRows(
  segments: readonly Segment[],
  turn: () => Promise<void>,
): Promise<FoldedRows | null> {
  const [first] = segments
  if (first === undefined) return null
  const entries: ReturnType<typeof entriesOf> = []
  for (const segment of segments) {
    for (const entry of entriesOf(segment)) entries.push(entry)
    await turn()
  }
  const folded = foldTokens(entries)
  if (folded.length === entries.length) return null
  return { rows: rowsOf(folded, first.first), saved: entries.length - folded.length }
}
