/** Milliseconds to wait before the next try: quick at first, never more than ten seconds, spread by a fifth. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const base = Math.min(10_000, 250 * 2 ** Math.min(attempt, 10))
  return Math.round(base * (0.8 + 0.4 * random()))
}
