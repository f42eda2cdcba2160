/**
 * The first JSON value in a model's text: a fenced block, else the whole text, else the first object or list that can
 * be decoded. Undefined when there is none.
 */
export function findJson(text: string): { readonly value: unknown } | undefined {
  for (const fenced of text.matchAll(/```(?:json)?\s*\n([\s\S]*?)```/g)) {
    const found = decode(fenced[1] ?? '')
    if (found !== undefined) return found
  }
  return decode(text) ?? findEmbedded(text)
}

function findEmbedded(text: string): { readonly value: unknown } | undefined {
  for (let at = text.search(/[{[]/); at !== -1;) {
    const end = endOfValue(text, at)
    const found = end === -1 ? undefined : decode(text.slice(at, end))
    if (found !== undefined) return found
    const next = text.slice(at + 1).search(/[{[]/)
    at = next === -1 ? -1 : at + 1 + next
  }
  return undefined
}

/** Where the bracket at `start` closes, strings skipped; -1 when it does not. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let quoted = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (quoted) {
      if (character === '\\') at += 1
      else if (character === '"') quoted = false
      continue
    }
    if (character === '"') quoted = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}

function decode(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { value } : undefined
  } catch {
    return undefined
  }
}
