import { describe, expect, test } from 'vitest'
import { Deadline } from '../limits/deadline.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { detectThrottle } from './detect-throttle.ts'
import { defaultThrottlePolicy, retryThrottled, type RetryContext } from './retry-throttled.ts'
import { ThrottleError } from './throttle-error.ts'

const named = (name: string, fields: object = {}) => Object.assign(new Error('x'), { name, ...fields })
const http = (status: number, fields: object = {}) =>
  Object.assign(new Error(`${status}`), { status, ...fields })

describe('detection', () => {
  test.each([
    ['status 429', http(429), 'rate_limit'],
    ['a wrapped 429', new Error('outer', { cause: new Error('middle', { cause: http(429) }) }), 'rate_limit'],
    ['a 429 in an aggregate', new AggregateError([new Error('a'), http(429)]), 'rate_limit'],
    ['a class name', named('RateLimitError'), 'rate_limit'],
    ['a code', named('Error', { code: 'rate_limit_exceeded' }), 'rate_limit'],
    ['a quota code in the body', http(429, { error: { code: 'insufficient_quota' } }), 'quota_exhausted'],
    ['a timeout class', named('APIConnectionTimeoutError'), 'timeout'],
    ['a socket timeout', named('Error', { code: 'ETIMEDOUT' }), 'timeout'],
    ['overload', http(529), 'unknown'],
    ['the response of axios', named('AxiosError', { response: { status: 429 } }), 'rate_limit'],
    ['a numeric code of gaxios', named('GaxiosError', { code: 429 }), 'rate_limit'],
    ['a code of gaxios that is text', named('GaxiosError', { code: '429' }), 'rate_limit'],
    ['a class of AWS', named('ThrottlingException'), 'rate_limit'],
    ['another class of AWS', named('TooManyRequestsException'), 'rate_limit'],
    ['the metadata of AWS', named('Error', { $metadata: { httpStatusCode: 429 } }), 'rate_limit'],
    ['a status word of Google', named('ApiError', { status: 'RESOURCE_EXHAUSTED' }), 'rate_limit'],
    [
      'a status word in the body',
      named('Error', { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }),
      'rate_limit',
    ],
    ["LangChain's own code", named('Error', { lc_error_code: 'MODEL_RATE_LIMIT' }), 'rate_limit'],
  ])('sees %s', (_name, error, kind) => {
    expect(detectThrottle(error, 0)?.kind).toBe(kind)
  })

  test.each([
    ['B38: insufficient permissions', http(403, { message: 'insufficient permissions' })],
    ['a 429 in the words only', new Error('error 429: rate limit, quota')],
    ['a bad request', http(400)],
    ['nothing', undefined],
    ['a cycle', cyclic()],
  ])('%s is no throttle', (_name, error) => {
    expect(detectThrottle(error, 0)).toBeUndefined()
  })

  test.each([
    ['seconds', { headers: { 'Retry-After': '3' } }, 3000],
    ['web headers', { headers: new Headers({ 'retry-after': '2' }) }, 2000],
    ['milliseconds', { headers: { 'retry-after-ms': '150', 'retry-after': '9' } }, 150],
    ['a date', { response: { headers: { 'retry-after': new Date(5000).toUTCString() } } }, 4000],
    ['an attribute', { retry_after: 1.5 }, 1500],
    ['nonsense', { headers: { 'retry-after': 'soon' } }, undefined],
    ['the delay of Google', { errorDetails: [{ '@type': 'RetryInfo', retryDelay: '2.5s' }] }, 2500],
  ])('reads retry-after as %s', (_name, fields, ms) => {
    expect(detectThrottle(http(429, fields), 1000)?.retryAfterMs).toBe(ms)
  })
})

function unretryable(error: Error): Error {
  return Object.defineProperty(error, Symbol.for('langchain.errors.retryable'), { value: false })
}

function cyclic(): Error {
  const error = new Error('a')
  error.cause = error
  return error
}

describe('patience', () => {
  const setup = (random = 0) => {
    const clock = manualClock({ auto: true })
    const told: number[] = []
    const context: RetryContext = {
      clock,
      policy: { ...defaultThrottlePolicy, random: () => random },
      signal: new AbortController().signal,
      deadlines: [],
      promptName: 'p',
      onThrottled: ({ delayMs }) => told.push(delayMs),
      mayRepeat: () => true,
    }
    return { clock, told, context }
  }
  const failing = (error: unknown, times: number) => {
    let calls = 0
    return {
      calls: () => calls,
      attempt: async () => {
        calls += 1
        if (calls <= times) throw error
        return 'done'
      },
    }
  }

  test.each([
    ['without jitter', 0, [500, 500, 500, 500]],
    ['with full jitter', 1, [500, 1000, 2000, 4000]],
  ])('B36: waits grow %s', async (_name, random, waits) => {
    const { clock, told, context } = setup(random)
    const { attempt } = failing(http(429), 4)
    await expect(retryThrottled(attempt, context)).resolves.toBe('done')
    expect(clock.waits).toEqual(waits)
    expect(told).toEqual(waits)
  })

  test('B36: no wait is shorter than retry-after, also beyond the longest wait', async () => {
    const { clock, context } = setup()
    await retryThrottled(failing(http(429, { headers: { 'retry-after': '9' } }), 2).attempt, context)
    expect(clock.waits).toEqual([9000, 9000])
  })

  test('B36: after the last attempt the error says how many were made', async () => {
    const { context } = setup()
    const { attempt, calls } = failing(http(429), 99)
    const failure = retryThrottled(attempt, context)
    await expect(failure).rejects.toThrow(ThrottleError)
    await expect(failure).rejects.toMatchObject({
      message: 'Throttle retry budget exhausted.',
      phase: 'request',
      details: { kind: 'rate_limit', attempts: 5, retrySafe: false },
    })
    expect(calls()).toBe(5)
  })

  test('B37: a wait that would outlive the deadline is not begun', async () => {
    const { clock, context } = setup()
    const deadline = Deadline.after(400, clock)
    await expect(
      retryThrottled(failing(http(429), 1).attempt, { ...context, deadlines: [deadline] }),
    ).rejects.toMatchObject({
      message: 'Deadline expired before retrying after throttling.',
      details: { attempts: 1, retrySafe: false },
    })
    expect(clock.waits).toEqual([])
  })

  test('all waits together are bounded', async () => {
    const { clock, context } = setup()
    const slow = http(429, { headers: { 'retry-after': '12' } })
    await expect(retryThrottled(failing(slow, 9).attempt, context)).rejects.toThrow(
      'Throttle retry window exceeded configured budget.',
    )
    expect(clock.waits).toEqual([12_000, 12_000])
  })

  test.each([
    ['B38: a quota that is used up', http(429, { code: 'insufficient_quota' }), 'the quota is used up'],
    ['B38: a refusal that is no throttle', http(403), '403'],
  ])('%s is raised at once', async (_name, error, message) => {
    const { clock, context } = setup()
    const { attempt, calls } = failing(error, 9)
    await expect(retryThrottled(attempt, context)).rejects.toThrow(message)
    expect(calls()).toBe(1)
    expect(clock.waits).toEqual([])
  })

  const reset = new TypeError('fetch failed', { cause: named('Error', { code: 'ECONNRESET' }) })

  test.each([
    ['503', http(503)],
    ['500', http(500)],
    ['502 of axios', named('AxiosError', { response: { status: 502 } })],
    ['a reset connection', reset],
    ['a refused connection', named('Error', { code: 'ECONNREFUSED' })],
    ['a socket that was closed', new TypeError('terminated', { cause: { code: 'UND_ERR_SOCKET' } })],
    ["the client's connection error", named('APIConnectionError')],
  ])('P1: %s is transient: the call is made again', async (_name, error) => {
    const { told, context } = setup()
    const { attempt, calls } = failing(error, 2)
    await expect(retryThrottled(attempt, context)).resolves.toBe('done')
    expect([calls(), told]).toEqual([3, [500, 500]])
  })

  test.each([
    ['a model that has retries of its own', http(503), { retryTransient: false }],
    ['what LangChain marked as final', unretryable(http(503)), {}],
    ['a method that is not implemented', http(501), {}],
    ['a name that does not resolve', named('Error', { code: 'ENOTFOUND' }), {}],
    ['an abort', named('AbortError', { code: 'ECONNRESET' }), {}],
    ['a mistake of the caller', new TypeError('x is not a function'), {}],
  ])('P1: %s is not tried again', async (_name, error, policy) => {
    const { context } = setup()
    const { attempt, calls } = failing(error, 9)
    const patience = { ...context, policy: { ...context.policy, ...policy } }
    await expect(retryThrottled(attempt, patience)).rejects.toBe(error)
    expect(calls()).toBe(1)
  })

  test('P1: after the last attempt a transient failure is raised as it is', async () => {
    const { context } = setup()
    const { attempt, calls } = failing(reset, 99)
    await expect(retryThrottled(attempt, context)).rejects.toBe(reset)
    expect(calls()).toBe(5)
  })

  test('P1: a transient failure is not retried past the deadline, nor once an answer has been shown', async () => {
    const { clock, context } = setup()
    const late = { ...context, deadlines: [Deadline.after(400, clock)] }
    await expect(retryThrottled(failing(reset, 1).attempt, late)).rejects.toBe(reset)
    const shown = { ...context, mayRepeat: () => false }
    await expect(retryThrottled(failing(reset, 1).attempt, shown)).rejects.toBe(reset)
    expect(clock.waits).toEqual([])
  })

  test('an abort ends the wait', async () => {
    const { context } = setup()
    const controller = new AbortController()
    const reason = new Error('stop')
    const waiting = retryThrottled(failing(http(429), 9).attempt, {
      ...context,
      clock: manualClock(),
      signal: controller.signal,
      onThrottled: () => queueMicrotask(() => controller.abort(reason)),
    })
    await expect(waiting).rejects.toBe(reason)
  })
})
