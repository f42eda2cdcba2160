import type { Usage } from '@clewline/core'
import type { Call, View } from '@clewline/core/view'
import type { Price } from '@clewline/client'

export type Prices = Readonly<Record<string, Price>>

/** US dollars, or null when the price of the model is not known. */
export function costOf(usage: Usage, price: Price | undefined): number | null {
  if (price === undefined) return null
  const cached = price.cached === undefined ? 0 : (usage.cached_tokens ?? 0)
  const input = (usage.input_tokens ?? 0) - cached
  return (
    (input * price.input + cached * (price.cached ?? 0) + (usage.output_tokens ?? 0) * price.output) /
    1_000_000
  )
}

/** The price of a model, also under a name with its provider in front or a date behind. */
export function priceOf(model: string, prices: Prices): Price | undefined {
  const exact = prices[model]
  if (exact !== undefined) return exact
  const bare = model.replace(/^[a-z_-]+[:/]/i, '')
  const key = Object.keys(prices)
    .filter((name) => bare.startsWith(name.replace(/^[a-z_-]+[:/]/i, '')))
    .toSorted((a, b) => b.length - a.length)[0]
  return key === undefined ? undefined : prices[key]
}

/** What the model calls below (and at) some calls cost. Null when no price is known. */
export function costWithin(view: View, roots: readonly string[], prices: Prices): number | null {
  let sum: number | null = null
  const visit = (id: string): void => {
    const call = view.calls.get(id)
    if (call === undefined) return
    sum = plus(sum, costOfCall(call, prices))
    for (const child of call.children) visit(child)
  }
  for (const root of roots) visit(root)
  return sum
}

/** Of a model call itself. */
export function costOfCall(call: Call, prices: Prices): number | null {
  return call.kind === 'llm' ? costOf(call.usage, priceOf(call.name, prices)) : null
}

export function plus(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b
}
