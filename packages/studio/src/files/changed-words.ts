import { diffWordsWithSpace } from 'diff'

/** A piece of a changed line; `isChanged` where the other line says something else. */
export interface Piece {
  readonly text: string
  readonly isChanged: boolean
}

// Beyond this, finding the words takes longer than reading the lines.
const LONGEST = 5000
// Lines that have less in common than this were not changed but replaced: marking words would be noise.
const LEAST_SHARED = 0.3

/** What changed within a line, for both of its versions; null where that says nothing. */
export function changedWords(
  before: string,
  after: string,
): { readonly before: readonly Piece[]; readonly after: readonly Piece[] } | null {
  if (before.length + after.length > LONGEST) return null
  const changes = diffWordsWithSpace(before, after)
  const shared = changes.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + value.length),
    0,
  )
  if (shared < LEAST_SHARED * Math.max(before.length, after.length)) return null
  return {
    before: changes
      .filter(({ added }) => !added)
      .map(({ value, removed }) => ({ text: value, isChanged: removed })),
    after: changes
      .filter(({ removed }) => !removed)
      .map(({ value, added }) => ({ text: value, isChanged: added })),
  }
}
