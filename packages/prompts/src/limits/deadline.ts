import { ClewlineError } from '@clewline/core'
import { systemClock, type Clock } from './clock.ts'
import { DeadlineExceededError } from './deadline-exceeded-error.ts'
import type { Phase } from './prompt-evaluation-error.ts'

/** A moment after which nothing goes on: it aborts running model calls and tools, not only the next step. */
export interface Deadline extends Disposable {
  readonly expiresAt: Date
  /** Aborts when time is up, with a `DeadlineExceededError` as its reason. */
  readonly signal: AbortSignal
  /** Milliseconds left, never below 0. */
  remaining(): number
  /** Throws a `DeadlineExceededError` when time is up. */
  check(phase: Phase): void
}

/** Makes deadlines. Dispose one that is no longer needed; its timer does not keep the process alive. */
export const Deadline = {
  at(moment: Date, clock: Clock = systemClock): Deadline {
    if (!(moment instanceof Date) || Number.isNaN(moment.getTime()))
      throw badDeadline('A deadline needs a valid date.')
    if (moment.getTime() <= clock.now()) throw badDeadline('A deadline must be in the future.')
    return createDeadline(moment, clock)
  },
  after(ms: number, clock: Clock = systemClock): Deadline {
    if (!(ms > 0) || !Number.isFinite(ms))
      throw badDeadline('A deadline needs a positive number of milliseconds.')
    return createDeadline(new Date(clock.now() + ms), clock)
  },
}

function createDeadline(expiresAt: Date, clock: Clock): Deadline {
  const controller = new AbortController()
  const remaining = () => Math.max(0, expiresAt.getTime() - clock.now())
  const expired = (phase: Phase) =>
    new DeadlineExceededError(`The deadline of ${expiresAt.toISOString()} has passed.`, { expiresAt, phase })
  const timer = clock.setTimeout(() => controller.abort(expired('request')), remaining())
  return {
    expiresAt,
    signal: controller.signal,
    remaining,
    check(phase) {
      if (controller.signal.aborted || remaining() === 0) throw expired(phase)
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  }
}

function badDeadline(message: string): ClewlineError {
  return new ClewlineError('bad-request', message, {
    hint: 'Use Deadline.after(30_000) or Deadline.at(a date in the future).',
  })
}
