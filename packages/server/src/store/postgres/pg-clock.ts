/** The database server's clock as the store writes times: ISO 8601 in UTC, to the millisecond. */
export const NOW = iso('now()')

/** So many milliseconds from now, or ago if negative; `ms` is a parameter such as `$2`. */
export function nowPlus(ms: string): string {
  return iso(`now() + ${ms}::float8 * interval '1 millisecond'`)
}

function iso(moment: string): string {
  return `to_char((${moment}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}
