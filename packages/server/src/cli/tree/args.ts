import type { Json } from '@clewline/core'

/** `path: a.md, text: Hello`; a single argument without its name. */
export function argsOf(input: Json): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return short(input)
  const fields = Object.entries(input).map(([name, value]) => [name, short(value)] as const)
  const [only] = fields
  return fields.length === 1 && only !== undefined
    ? only[1]
    : fields.map((field) => field.join(': ')).join(', ')
}

/** A text as it is, anything else as JSON, nothing for what says nothing. */
export function short(value: Json): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '{}' ? '' : text.slice(0, 500)
}
