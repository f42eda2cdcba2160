/**
 * The beginning of a text, at most `length` UTF-16 code units. Never half of a surrogate pair: a lone surrogate is not
 * valid in UTF-8, and a provider refuses the request that carries it.
 */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, boundaryAt(text, length))
}

/** `index`, or one less where it would split a surrogate pair. */
export function boundaryAt(text: string, index: number): number {
  const splits = isHigh(text.charCodeAt(index - 1)) && isLow(text.charCodeAt(index))
  return splits ? index - 1 : index
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
