import type { Json } from '@clewline/core'

/** A value, or undefined when the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
