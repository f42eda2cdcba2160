import type { Json } from '@clewline/core'
import { parseJson } from '../parse-json.ts'

/** The arguments of a tool call: a value once the text is whole, the text itself while it streams in. */
export function readArgs(text: string): Json {
  const value = parseJson(text)
  return value === undefined ? text : value
}
