export interface BackoffOptions {
  /** Delay after the first failure. Default 250. */
  readonly firstMs?: number
  /** Upper bound. Default 10,000. */
  readonly maxMs?: number
  readonly random?: () => number
}

/** Exponential back-off with jitter: milliseconds to wait after failure number `attempt` (from 0), spread by a fifth. */
export function backoff(attempt: number, options: BackoffOptions = {}): number {
  const { firstMs = 250, maxMs = 10_000, random = Math.random } = options
  const base = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30))
  return Math.round(base * (0.8 + 0.4 * random()))
}
