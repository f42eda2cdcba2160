/** Tokens. An absent count is unknown, not zero. */
export interface TokenUsage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedTokens?: number
  readonly totalTokens?: number
}

/** Unknown and unknown stay unknown; a known count wins over an unknown one. */
export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return combine(a, b, (x, y) => x + y)
}

export function subtractUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return combine(a, b, (x, y) => x - y)
}

function combine(a: TokenUsage, b: TokenUsage, by: (x: number, y: number) => number): TokenUsage {
  const sum: { -readonly [K in keyof TokenUsage]: number } = {}
  for (const key of ['inputTokens', 'outputTokens', 'cachedTokens'] as const)
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = by(a[key] ?? 0, b[key] ?? 0)
  if (totalOf(a) !== undefined || totalOf(b) !== undefined)
    sum.totalTokens = by(totalOf(a) ?? 0, totalOf(b) ?? 0)
  return sum
}

/** The provider's own total, else input and output together. */
export function totalOf(usage: TokenUsage): number | undefined {
  if (usage.totalTokens !== undefined) return usage.totalTokens
  if (usage.inputTokens === undefined && usage.outputTokens === undefined) return undefined
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
}
