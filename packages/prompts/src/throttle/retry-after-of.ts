import { isRecord } from '@clewline/core'

/** How long the provider asks to wait: fields of the error, its headers, or the `RetryInfo` of Google. */
export function retryAfterOf(error: Readonly<Record<string, unknown>>, now: number): number | undefined {
  const direct = [error['retryAfterMs'], error['retry_after_ms']].find((each) => typeof each === 'number')
  if (typeof direct === 'number') return direct
  const response = isRecord(error['response']) ? error['response'] : {}
  const headers = [error['headers'], response['headers']]
  const ms = toNumber(first(headers, 'retry-after-ms'))
  if (ms !== undefined) return ms
  const after =
    error['retryAfter'] ?? error['retry_after'] ?? first(headers, 'retry-after') ?? retryDelay(error)
  const seconds = toNumber(after)
  if (seconds !== undefined) return seconds * 1000
  const date = typeof after === 'string' ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Seconds, from text such as `2.5s`. */
function retryDelay(error: Readonly<Record<string, unknown>>): string | undefined {
  const details = error['errorDetails'] ?? error['details']
  const delays = Array.isArray(details) ? details.filter(isRecord).map((each) => each['retryDelay']) : []
  const delay = delays.find((each) => typeof each === 'string')
  return typeof delay === 'string' ? delay.replace(/s$/, '') : undefined
}

function first(all: readonly unknown[], name: string): unknown {
  for (const headers of all) {
    if (headers instanceof Headers && headers.has(name)) return headers.get(name)
    if (!isRecord(headers)) continue
    const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)
    if (found !== undefined) return found[1]
  }
  return undefined
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined
}
