import { BudgetExceededError } from '../limits/budget-exceeded-error.ts'
import { createBudgetTracker, type BudgetTracker } from '../limits/budget-tracker.ts'
import { DeadlineExceededError } from '../limits/deadline-exceeded-error.ts'
import type { Deadline } from '../limits/deadline.ts'
import type { Phase } from '../limits/prompt-evaluation-error.ts'
import type { TokenUsage } from '../limits/token-usage.ts'
import type { EvaluateOptions } from '../prompt/adapter.ts'

/** The limits of an evaluation and of those around it. */
export interface Limits {
  readonly deadline: Deadline | undefined
  /** The one that handlers are given, to pass on. */
  readonly tracker: BudgetTracker | undefined
  readonly deadlines: readonly Deadline[]
  readonly trackers: readonly BudgetTracker[]
  /** Throws when nothing more may begin. Counts a tool call. */
  checkBefore(what: 'model' | 'tool'): void
  /** Counts a model call once in every budget that it belongs to. */
  recordModelCall(evaluationId: string, usage: TokenUsage): void
  /** The first limit that is passed, if any. */
  exceeded(): BudgetExceededError | undefined
  /** Calls back when a deadline passes. Returns how to stop listening. */
  onExpiry(stop: (reason: unknown) => void, phase: () => Phase): () => void
}

export function createLimits(
  options: EvaluateOptions,
  around: Limits | undefined,
  promptName: string,
): Limits {
  const deadline = options.deadline ?? around?.deadline
  const own =
    options.budgetTracker ?? (options.budget === undefined ? undefined : createBudgetTracker(options.budget))
  const trackers = [...new Set([...(own === undefined ? [] : [own]), ...(around?.trackers ?? [])])]
  const deadlines = [options.deadline, own?.budget.deadline, ...(around?.deadlines ?? [])].filter(
    (each) => each !== undefined,
  )
  const expired = (at: Deadline, phase: Phase) =>
    new DeadlineExceededError(`The deadline of ${at.expiresAt.toISOString()} has passed.`, {
      expiresAt: at.expiresAt,
      phase,
      promptName,
    })
  const named = (check: () => void): BudgetExceededError | undefined => {
    try {
      check()
      return undefined
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error
      const { dimension, consumed, limit, used } = error
      return new BudgetExceededError({ dimension, consumed, limit, used, promptName, cause: error })
    }
  }
  const throwNamed = (check: () => void) => {
    const error = named(check)
    if (error !== undefined) throw error
  }

  return {
    deadline,
    tracker: own ?? around?.tracker,
    deadlines,
    trackers,
    checkBefore(what) {
      if (deadline?.remaining() === 0) throw expired(deadline, what === 'tool' ? 'tool' : 'request')
      for (const tracker of trackers)
        throwNamed(() => {
          tracker.check()
          tracker.checkNext(what)
        })
      if (what === 'tool') trackers.forEach((tracker) => tracker.countToolCall())
    },
    recordModelCall(evaluationId, usage) {
      for (const tracker of trackers) {
        tracker.countModelCall()
        tracker.add(evaluationId, usage)
      }
    },
    exceeded: () =>
      trackers.map((tracker) => named(() => tracker.check())).find((error) => error !== undefined),
    onExpiry(stop, phase) {
      const listening = deadlines.map((each) => {
        const expire = () => {
          const budget = each === own?.budget.deadline ? named(() => own.check()) : undefined
          stop(budget ?? expired(each, phase()))
        }
        if (each.signal.aborted) expire()
        else each.signal.addEventListener('abort', expire, { once: true })
        return () => each.signal.removeEventListener('abort', expire)
      })
      return () => listening.forEach((stopListening) => stopListening())
    },
  }
}
