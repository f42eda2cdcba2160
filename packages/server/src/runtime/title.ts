import type { Json } from '@clewline/core'
import type { Redaction } from '../redact/redaction.ts'

const LENGTH = 80

/** Redacted, and without what a store cannot keep in a text: SQLite ends it there, Postgres refuses it. */
export function cleanTitle(title: string, redaction: Redaction | null): string {
  return (redaction?.text(title, 'title', null) ?? title).replaceAll('\0', '')
}

/** A name for a thread from the first thing that was said in it; null when nothing was. */
export function titleOf(input: Json | undefined, redaction: Redaction | null): string | null {
  const text = typeof input === 'string' ? input : firstText(input)
  const line = (text === null ? null : cleanTitle(text, redaction))?.trim().split('\n', 1)[0]?.trim() ?? ''
  if (line === '') return null
  return line.length <= LENGTH ? line : `${line.slice(0, LENGTH - 1).trimEnd()}…`
}

function firstText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null) return null
  if (isList(value)) {
    for (const item of value) {
      const found = firstText(item)
      if (found !== null) return found
    }
    return null
  }
  for (const key of ['messages', 'content', 'text', 'input', 'question', 'query']) {
    const found = firstText(value[key])
    if (found !== null) return found
  }
  return null
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value)
}
