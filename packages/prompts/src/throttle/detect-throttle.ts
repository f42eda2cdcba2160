import { isRecord } from '@clewline/core'
import { causesOf } from './causes-of.ts'
import type { ThrottleDetails } from './throttle-error.ts'

export type Throttle = Pick<ThrottleDetails, 'kind' | 'retryAfterMs' | 'retrySafe'> & {
  readonly providerPayload?: unknown
}

/**
 * Reads status, code and class along the whole chain of causes: middleware wraps the client's error. Never the words
 * of the message: a 403 "insufficient permissions" is not a throttle.
 */
export function detectThrottle(error: unknown, now: number): Throttle | undefined {
  const chain = causesOf(error)
  for (const each of chain) {
    const kind = kindOf(each)
    if (kind === undefined) continue
    const retryAfterMs = chain.map((one) => retryAfterOf(one, now)).find((ms) => ms !== undefined)
    const providerPayload = each['error'] ?? each['body']
    return {
      kind,
      retrySafe: kind !== 'quota_exhausted',
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(providerPayload !== undefined && { providerPayload }),
    }
  }
  return undefined
}

const quotaCodes = new Set(['insufficient_quota', 'quota_exhausted', 'billing_hard_limit_reached'])
const rateCodes = new Set([
  'rate_limit',
  'rate_limit_exceeded',
  'rate_limit_error',
  'overloaded_error',
  'throttling',
])
const timeoutCodes = new Set(['etimedout', 'und_err_connect_timeout', 'und_err_headers_timeout', 'timeout'])

function kindOf(error: Record<string, unknown>): ThrottleDetails['kind'] | undefined {
  const inner = isRecord(error['error']) ? error['error'] : {}
  const codes = [error['code'], error['type'], inner['code'], inner['type']].flatMap((code) =>
    typeof code === 'string' ? [code.toLowerCase()] : [],
  )
  const name = [error['name'], error.constructor?.name].join(' ').toLowerCase()
  if (codes.some((code) => quotaCodes.has(code))) return 'quota_exhausted'
  const status = [error['status'], error['statusCode'], error['status_code']].find(
    (each) => typeof each === 'number',
  )
  if (status === 429 || codes.some((code) => rateCodes.has(code)) || /rate_?limit/.test(name))
    return 'rate_limit'
  // 529 is Anthropic's "overloaded".
  if (status === 529) return 'unknown'
  if (status === 408 || name.includes('timeout') || codes.some((code) => timeoutCodes.has(code)))
    return 'timeout'
  return undefined
}

function retryAfterOf(error: Record<string, unknown>, now: number): number | undefined {
  const direct = [error['retryAfterMs'], error['retry_after_ms']].find((each) => typeof each === 'number')
  if (typeof direct === 'number') return direct
  const response = isRecord(error['response']) ? error['response'] : {}
  const headers = [error['headers'], response['headers']]
  const ms = toNumber(first(headers, 'retry-after-ms'))
  if (ms !== undefined) return ms
  const after = error['retryAfter'] ?? error['retry_after'] ?? first(headers, 'retry-after')
  const seconds = toNumber(after)
  if (seconds !== undefined) return seconds * 1000
  const date = typeof after === 'string' ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
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
