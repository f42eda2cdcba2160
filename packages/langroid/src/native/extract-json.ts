import { isRecord, type Json, type JsonObject } from '@clewline/core'
import { jsonrepair } from 'jsonrepair'

/** A `{…}` in a text, and where it stands. */
export interface JsonSpan {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/**
 * The outermost balanced `{…}` of a text. Braces inside strings do not count; an opening brace that never closes ends
 * the search, because everything after it may belong to it.
 */
export function jsonSpans(text: string): readonly JsonSpan[] {
  const spans: JsonSpan[] = []
  let from = text.indexOf('{')
  while (from !== -1) {
    const end = closingBrace(text, from)
    if (end === -1) break
    spans.push({ start: from, end })
    from = text.indexOf('{', end)
  }
  return spans
}

/** Position after the brace that closes the one at `start`, or -1 when the text ends first. */
function closingBrace(text: string, start: number): number {
  const end = braceScanner()(text.slice(start))
  return end === -1 ? -1 : start + end
}

/**
 * Finds the brace that closes the first one of a text that comes in pieces: the position after it in the piece that has
 * it, or -1. Each piece is read once, however long the text becomes.
 */
export function braceScanner(): (piece: string) => number {
  let depth = 0
  let inString = false
  let isEscaped = false
  return (piece) => {
    for (let i = 0; i < piece.length; i++) {
      const character = piece[i]
      if (isEscaped) isEscaped = false
      else if (inString) {
        if (character === '\\') isEscaped = true
        else if (character === '"') inString = false
      } else if (character === '"') inString = true
      else if (character === '{') depth++
      else if (character === '}' && --depth === 0) return i + 1
    }
    return -1
  }
}

/** Reads what a model wrote as JSON: as it stands, or repaired. Undefined when it is no object in any reading. */
export function parseJsonObject(text: string): JsonObject | undefined {
  for (const read of [JSON.parse, (candidate: string): unknown => JSON.parse(jsonrepair(candidate))]) {
    try {
      const value: Json = read(text)
      return isRecord(value) ? value : undefined
    } catch {
      // The next reading may do.
    }
  }
  return undefined
}
