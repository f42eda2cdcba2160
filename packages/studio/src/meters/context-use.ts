import type { View } from '@clewline/core/view'
import { priceOf, type Prices } from './cost.ts'

/** How full the main agent's context was in its newest prompt; `window` is null where the price table does not say. */
export function contextUse(
  view: View,
  prices: Prices,
): { readonly last: number | null; readonly window: number | null } {
  const main = view.calls.get(view.roots.at(-1) ?? '')?.agent
  let newest: { readonly name: string; readonly tokens: number } | null = null
  for (const call of view.calls.values()) {
    const tokens = call.usage.input_tokens
    if (call.kind === 'llm' && call.agent === main && tokens !== undefined)
      newest = { name: call.name, tokens }
  }
  if (newest === null) return { last: null, window: null }
  return { last: newest.tokens, window: priceOf(newest.name, prices)?.context ?? null }
}
