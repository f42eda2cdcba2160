import type { Timeline } from '@clewline/core/view'

const WINDOW = 2

/** How fast models spoke in the two seconds up to the `n`th entry, over all calls together. */
export function tokensPerSecond(timeline: Timeline, n: number): number {
  const end = timeline.entry(n - 1)?.envelope.ts
  if (end === undefined) return 0
  let tokens = 0
  let start = end
  for (let index = n - 1; index >= 0; index--) {
    const envelope = timeline.entry(index)?.envelope
    if (envelope === undefined || envelope.ts < end - WINDOW) break
    start = envelope.ts
    if (envelope.type === 'llm_token')
      tokens += envelope.seq - (envelope.payload.from_seq ?? envelope.seq) + 1
  }
  return tokens / Math.max(end - start, 0.5)
}
