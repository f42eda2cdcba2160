import type { RunContext } from '@clewline/core/source'
import { BudgetExceededError } from '../limits/budget-exceeded-error.ts'
import { usedOf, type BudgetTracker } from '../limits/budget-tracker.ts'
import { budgetDimensions, type BudgetDimension } from '../limits/budget.ts'
import type { Session } from '../session/session.ts'

/** A bar for readers: how much of the tightest limit is used. */
interface BudgetState {
  readonly [fact: string]: string | number
  readonly dimension: BudgetDimension
  readonly used: number
  readonly limit: number
}

/** Readers are warned once when this much of a limit is used. */
const nearly = 0.8

/** Emits at the root call how budgets are used and providers throttle. `end` resolves when all of it is logged. */
export function emitLimits(
  name: string,
  session: Session,
  tracker: BudgetTracker | undefined,
  emit: RunContext['emit'],
): { end(): Promise<void> } {
  const said: (void | Promise<void>)[] = []
  let warned = false
  const at = { path: [], agent: name } as const
  const warn = (code: string, message: string, facts: Readonly<Record<string, string | number>>) =>
    said.push(emit({ ...at, type: 'warning', payload: { code, message, ...facts } }))

  const subscriptions = [
    session.bus.on('ModelCalled', () => {
      const budget = tracker === undefined ? undefined : tightest(tracker)
      if (budget === undefined) return
      said.push(
        emit({ ...at, type: 'tool_update', payload: { tool_name: name, delta: { state: { budget } } } }),
      )
      if (warned || budget.used < nearly * budget.limit || budget.used > budget.limit) return
      warned = true
      const share = Math.round((100 * budget.used) / budget.limit)
      warn('budget', `${share} % of the budget is used (${budget.dimension.replace('_', ' ')}).`, budget)
    }),
    session.bus.on('Throttled', ({ kind, attempts, delayMs }) => {
      const state = kind === 'unavailable' ? 'unavailable' : 'busy'
      const message = `The provider is ${state}; trying again in ${Math.round(delayMs)} ms.`
      warn('throttled', message, { kind, attempts, delay_ms: delayMs })
    }),
    session.bus.on('PromptFailed', ({ error }) => {
      if (!(error instanceof BudgetExceededError)) return
      const { dimension, limit, used } = error
      warn('budget', error.message, { dimension, limit, used })
    }),
  ]
  return {
    async end() {
      subscriptions.forEach((each) => each.unsubscribe())
      for (const each of said) await each
    },
  }
}

function tightest(tracker: BudgetTracker): BudgetState | undefined {
  return budgetDimensions
    .flatMap(([dimension, key]): BudgetState[] => {
      const limit = tracker.budget[key]
      return limit === undefined ? [] : [{ dimension, used: usedOf(tracker.consumed, key), limit }]
    })
    .reduce<BudgetState | undefined>(
      (best, each) => (best === undefined || each.used / each.limit > best.used / best.limit ? each : best),
      undefined,
    )
}
