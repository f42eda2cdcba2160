/**
 * What tells texts of a kind apart, for narrow places: the words that all of them begin with are left out, back to the
 * end of a clause, so that what is left reads on its own.
 */
export function tellApart(texts: readonly string[]): readonly string[] {
  const [first, ...others] = texts
  if (first === undefined || others.every((other) => other === first)) return texts
  let shared = first.length
  for (const other of others) {
    let at = 0
    while (at < shared && first[at] === other[at]) at++
    shared = at
  }
  const clause = /^.*[:.,;] /s.exec(first.slice(0, shared))?.[0].length
  const cut = clause ?? first.lastIndexOf(' ', shared - 1) + 1
  // Where one says no more than what all say, nothing would be left of it.
  return texts.some((text) => text.length <= cut) ? texts : texts.map((text) => text.slice(cut))
}
