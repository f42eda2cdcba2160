import { causesOf } from './causes-of.ts'
import type { Throttle } from './detect-throttle.ts'
import { retryAfterOf } from './retry-after-of.ts'
import { statusOf } from './status-of.ts'

/**
 * A transient failure: the provider is unavailable (5xx) or the connection was lost, and the same request may succeed
 * a moment later. A name that does not resolve is none: it is a wrong address.
 */
export function detectTransient(error: unknown, now: number): Throttle | undefined {
  const chain = causesOf(error)
  if (chain.some(isFinal) || !chain.some(isTransient)) return undefined
  const retryAfterMs = chain.map((each) => retryAfterOf(each, now)).find((ms) => ms !== undefined)
  return { kind: 'unavailable', retrySafe: true, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

const lostConnection = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'UND_ERR_BODY_TIMEOUT',
])

function isTransient(error: Readonly<Record<string, unknown>>): boolean {
  const status = statusOf(error)
  if (status !== undefined) return status >= 500 && status !== 501
  return lostConnection.has(String(error['code'])) || error['name'] === 'APIConnectionError'
}

/** LangChain's mark, `stampRetryable` of `@langchain/core/errors`; registered globally, so it needs no import. */
const retryable = Symbol.for('langchain.errors.retryable')

function isFinal(error: Readonly<Record<string | symbol, unknown>>): boolean {
  return error[retryable] === false || error['name'] === 'AbortError'
}
