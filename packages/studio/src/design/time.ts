/** `just now`, `4m ago`, `in 2h`, or the date when that says more. Both in milliseconds since the epoch. */
export function formatWhen(time: number, now: number): string {
  const delta = time - now
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
    return new Date(time).toLocaleDateString(undefined, { month: 'short', day: 'numeric' })
  return delta > 0 ? `in ${amount}` : `${amount} ago`
}

/** The moment itself, in the words of the reader's country: `Mon, 16 Nov, 09:00`. */
export function formatMoment(time: number): string {
  return new Date(time).toLocaleString(undefined, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
}
