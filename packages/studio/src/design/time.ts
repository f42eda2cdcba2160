/** ISO 8601, seconds or milliseconds since the epoch, as milliseconds. */
export function toMillis(time: string | number): number {
  if (typeof time === 'string') return Date.parse(time)
  return time < 1e11 ? time * 1000 : time
}

/** `just now`, `4m ago`, `in 2h`, or the date when that says more. */
export function formatWhen(time: string | number, now: number = Date.now()): string {
  const delta = toMillis(time) - now
  const size = Math.abs(delta) / 1000
  if (size < 45) return delta > 1000 ? 'in a moment' : 'just now'
  const amount =
    size < 3600
      ? `${Math.round(size / 60)}m`
      : size < 86_400
        ? `${Math.round(size / 3600)}h`
        : size < 7 * 86_400
          ? `${Math.round(size / 86_400)}d`
          : undefined
  if (amount === undefined)
    return new Date(toMillis(time)).toLocaleDateString(undefined, { month: 'short', day: 'numeric' })
  return delta > 0 ? `in ${amount}` : `${amount} ago`
}
