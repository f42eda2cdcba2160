/** Takes a token of the bucket that holds `size` and fills in `seconds`. 0, or the seconds until there is one. */
export type TakeToken = (key: string, size: number, seconds: number) => number

interface Bucket {
  tokens: number
  at: number
  /** When it will be full. */
  fullAt: number
}

/** Buckets that are kept at most; those that are full again go first, and say as much as none. */
const MAX_BUCKETS = 10_000

/** What a bucket that holds nothing says. */
const NEVER_SECONDS = 3_600

/** Token buckets by key: each is full at first and fills up again at a steady rate. `now` is a monotonic clock in ms. */
export function createTokenBuckets(now: () => number = () => performance.now()): TakeToken {
  const buckets = new Map<string, Bucket>()

  function makeRoom(at: number): void {
    if (buckets.size < MAX_BUCKETS) return
    for (const [key, { fullAt }] of buckets) if (fullAt <= at) buckets.delete(key)
  }

  return (key, size, seconds) => {
    if (size === Infinity) return 0
    if (size <= 0) return NEVER_SECONDS
    const at = now()
    const perMs = size / (seconds * 1000)
    const capacity = Math.max(1, size)
    const known = buckets.get(key)
    if (known === undefined) makeRoom(at)
    const tokens = known === undefined ? capacity : Math.min(capacity, known.tokens + (at - known.at) * perMs)
    const left = tokens >= 1 ? tokens - 1 : tokens
    buckets.set(key, { tokens: left, at, fullAt: at + (capacity - left) / perMs })
    return tokens >= 1 ? 0 : (1 - tokens) / perMs / 1000
  }
}
