const BASE_MS = 200
const MAX_MS = 60_000

/**
 * Exponential backoff with jitter: how long a run waits for its next attempt after so many that failed in a row. Runs
 * that failed together do not come back together.
 */
export function retryDelay(crashes: number, random: () => number = Math.random): number {
  const most = Math.min(BASE_MS * 2 ** crashes, MAX_MS)
  return Math.round(most / 2 + (most / 2) * random())
}
