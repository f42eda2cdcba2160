/** A query string of what is given, with its question mark; empty when nothing is. */
export function searchOf(
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
}
