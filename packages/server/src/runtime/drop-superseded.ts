import type { Envelope } from '@clewline/core'

/**
 * Drops tokens that a later, joined one stands for. Compaction may replace rows between two pages of a read: who has read some
 * tokens of a call then reads all of them again as one (`from_seq`), which in a copy of the log would be doubled text.
 */
export function dropSuperseded(envelopes: readonly Envelope[]): Envelope[] {
  const kept: (Envelope | null)[] = [...envelopes]
  /** By call: where its tokens are, in the order of `seq`. */
  const tokens = new Map<string, { readonly at: number; readonly seq: number }[]>()
  for (const [at, envelope] of envelopes.entries()) {
    if (envelope.type !== 'llm_token') continue
    const { call_id, seq, payload } = envelope
    const earlier = tokens.get(call_id) ?? []
    tokens.set(call_id, earlier)
    const from = payload.from_seq ?? seq
    for (let last = earlier.at(-1); last !== undefined && last.seq >= from; last = earlier.at(-1)) {
      kept[last.at] = null
      earlier.pop()
    }
    earlier.push({ at, seq })
  }
  return kept.filter((envelope) => envelope !== null)
}
