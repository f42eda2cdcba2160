import type { Json } from '@skein/core'
import type { View } from '@skein/core/view'

export interface Budget {
  readonly used: number
  readonly limit: number
  readonly unit: 'tokens' | 'seconds'
}

/** The budget that a run announced in its state (`budget`), if it did: the limits that it set, with what is used. */
export function budgetsOf(view: View): readonly Budget[] {
  const budget = view.state['budget']
  if (typeof budget !== 'object' || budget === null || Array.isArray(budget)) return []
  const record = budget as Readonly<Record<string, Json>>
  const limit = number(record['max_total_tokens'] ?? record['total_tokens'] ?? record['limit'])
  const used = number(record['used_tokens'] ?? record['used']) ?? view.usage.total_tokens ?? 0
  return limit === undefined ? [] : [{ used, limit, unit: 'tokens' }]
}

function number(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
