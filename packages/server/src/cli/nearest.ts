/** The word that was most likely meant: at most two letters are wrong, missing, too many or in another order. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((word) => ({ word, distance: distance(typed.toLowerCase(), word) }))
    .filter(({ word, distance }) => distance <= Math.min(2, word.length - 2))
    .sort((a, b) => a.distance - b.distance)
  return best?.word
}

/** How many changes make one word of the other. */
function distance(a: string, b: string): number {
  // A word that is a novel is no typing error, and would cost its length times the other's.
  if (Math.abs(a.length - b.length) > 2) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [line, letter] of a.split('').entries()) {
    const next = [line + 1]
    for (const [column, other] of b.split('').entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? Infinity
}
