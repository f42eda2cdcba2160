import { sleep, type Clock } from '../limits/clock.ts'
import type { Deadline } from '../limits/deadline.ts'
import { detectThrottle, type Throttle } from './detect-throttle.ts'
import { detectTransient } from './detect-transient.ts'
import { ThrottleError, type ThrottleDetails } from './throttle-error.ts'

export interface ThrottlePolicy {
  /** Default 5. */
  readonly maxAttempts: number
  /** Default 500. */
  readonly baseDelayMs: number
  /** Default 8,000. A longer `retry-after` of the provider wins. */
  readonly maxDelayMs: number
  /** Default 30,000: all waits of one call together. */
  readonly maxTotalDelayMs: number
  /**
   * Whether a 5xx or a lost connection is retried too. Default: unless the model has retries of its own
   * (`maxRetries` above 0), which would nest.
   */
  readonly retryTransient?: boolean
  /** From 0 to 1, for the jitter. */
  random(): number
}

export const defaultThrottlePolicy: ThrottlePolicy = {
  maxAttempts: 5,
  baseDelayMs: 500,
  maxDelayMs: 8000,
  maxTotalDelayMs: 30_000,
  random: Math.random,
}

export interface RetryContext {
  readonly policy: ThrottlePolicy
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly deadlines: readonly Deadline[]
  readonly promptName: string
  onThrottled(details: ThrottleDetails & { readonly delayMs: number }): void
  /** False once a part of the answer has been shown, which cannot be taken back. */
  mayRepeat(): boolean
}

/**
 * Retries throttled calls and transient failures with exponential backoff and jitter; a wait that would outlive the
 * deadline is not begun. A transient failure that stays is raised as it is.
 */
export async function retryThrottled<T>(attempt: () => Promise<T>, context: RetryContext): Promise<T> {
  const { policy, clock, signal } = context
  let waited = 0
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt()
    } catch (error) {
      const throttle = signal.aborted ? undefined : detect(error, context)
      if (throttle === undefined) throw error
      const { providerPayload, ...facts } = throttle
      const give = (message: string) =>
        facts.kind === 'unavailable'
          ? error
          : new ThrottleError(message, {
              details: { ...facts, attempts, retrySafe: false },
              promptName: context.promptName,
              providerPayload,
              cause: error,
            })
      if (!facts.retrySafe) throw give('The provider refuses further requests: the quota is used up.')
      if (attempts >= policy.maxAttempts) throw give('Throttle retry budget exhausted.')
      const delayMs = delayOf(policy, attempts, facts.retryAfterMs ?? 0)
      if (context.deadlines.some((deadline) => deadline.remaining() <= delayMs))
        throw give('Deadline expired before retrying after throttling.')
      if (waited + delayMs > policy.maxTotalDelayMs)
        throw give('Throttle retry window exceeded configured budget.')
      waited += delayMs
      context.onThrottled({ ...facts, attempts, delayMs })
      await sleep(clock, delayMs, signal)
    }
  }
}

function detect(error: unknown, context: RetryContext): Throttle | undefined {
  const { policy, clock } = context
  const throttle = detectThrottle(error, clock.now())
  if (throttle !== undefined || policy.retryTransient === false || !context.mayRepeat()) return throttle
  return detectTransient(error, clock.now())
}

function delayOf(policy: ThrottlePolicy, attempts: number, retryAfterMs: number): number {
  const ceiling = Math.max(
    Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempts - 1)),
    retryAfterMs,
  )
  return Math.max(policy.random() * ceiling, policy.baseDelayMs, retryAfterMs)
}
