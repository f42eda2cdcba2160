import { parseEnvelope } from '@clewline/core/read'
import { type Entry } from '@clewline/core'
import { parseJson } from '../parse-json.ts'

export type ParsedEntry = { readonly entry: Entry } | { readonly problem: string }

/** A line of a stream or a file as an entry: a bare envelope, or an envelope with its position. */
export function parseEntry(text: string, position: number): ParsedEntry {
  const value = parseJson(text)
  if (value === undefined) return { problem: `not JSON: ${clip(text)}` }
  if (isWrapped(value)) return withPosition(value.envelope, value.position)
  return withPosition(value, position)
}

function withPosition(value: unknown, position: number): ParsedEntry {
  const parsed = parseEnvelope(value)
  if ('problem' in parsed) return { problem: parsed.problem }
  return { entry: { position, envelope: parsed.envelope } }
}

function isWrapped(value: unknown): value is { position: number; envelope: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'envelope' in value &&
    'position' in value &&
    typeof value.position === 'number'
  )
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
