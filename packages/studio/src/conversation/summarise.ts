import type { Json } from '@clewline/core'

/** A value in a few words: for the head of a card or a row. */
export function summarise(value: Json, limit = 120): string {
  // Ten times the limit is enough to fill it: a model may have said a book.
  const text = flatten(value)
    .slice(0, limit * 10)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text
}

function flatten(value: Json): string {
  if (value === null) return ''
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.length === 1 ? firstText(value[0] ?? null) : listed(value)
  const entries = Object.entries(value)
  if (entries.length === 1) return flatten(entries[0]?.[1] ?? null)
  // What comes first is what it is about: a path, a query. It needs no name.
  return entries
    .map(([key, part], index) => {
      if (isDeep(part)) return `${key}: …`
      return index === 0 && typeof part === 'string' ? part : `${key}: ${flatten(part)}`
    })
    .join(' · ')
}

function listed(values: readonly Json[]): string {
  return values.length === 0 ? '' : `${values.length} items: ${values.slice(0, 5).map(firstText).join(', ')}`
}

function isDeep(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function firstText(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return flatten(value)
  return Object.values(value).find((part) => typeof part === 'string') ?? flatten(value)
}
