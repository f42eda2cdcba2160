import { isRecord } from '@clewline/core'
import { causesOf } from './causes-of.ts'
import { retryAfterOf } from './retry-after-of.ts'
import { statusOf } from './status-of.ts'
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
  'resource_exhausted',
  'model_rate_limit',
])
const rateNames = /rate_?limit|throttl|toomanyrequests/
const timeoutCodes = new Set(['etimedout', 'und_err_connect_timeout', 'und_err_headers_timeout', 'timeout'])

function kindOf(error: Record<string, unknown>): ThrottleDetails['kind'] | undefined {
  const inner = isRecord(error['error']) ? error['error'] : {}
  // Google has its word in `status`, LangChain in `lc_error_code`.
  const codes = [error, inner]
    .flatMap((each) => [each['code'], each['type'], each['status'], each['lc_error_code']])
    .flatMap((code) => (typeof code === 'string' ? [code.toLowerCase()] : []))
  const name = [error['name'], error.constructor?.name].join(' ').toLowerCase()
  if (codes.some((code) => quotaCodes.has(code))) return 'quota_exhausted'
  const status = statusOf(error)
  if (status === 429 || codes.some((code) => rateCodes.has(code)) || rateNames.test(name)) return 'rate_limit'
  // 529 is Anthropic's "overloaded".
  if (status === 529) return 'unknown'
  if (status === 408 || name.includes('timeout') || codes.some((code) => timeoutCodes.has(code)))
    return 'timeout'
  return undefined
}
