import { assertBudget, budgetDimensions, type Budget } from './budget.ts'
import { BudgetExceededError, type Consumption } from './budget-exceeded-error.ts'
import { addUsage, subtractUsage, totalOf, type TokenUsage } from './token-usage.ts'

/** Counts what is used. One tracker may be shared by any number of evaluations, also at the same time. */
export interface BudgetTracker {
  readonly budget: Budget
  readonly consumed: Consumption
  /** Adds what one model call used. */
  add(evaluationId: string, usage: TokenUsage): void
  /** Replaces what this evaluation has used so far: for providers that report running totals. */
  recordCumulative(evaluationId: string, usage: TokenUsage): void
  countModelCall(): void
  countToolCall(): void
  /** Throws a `BudgetExceededError` for the first limit that is passed: deadline, input, output, total, calls. */
  check(): void
  /** Throws when one more model call or tool call would pass a limit. */
  checkNext(what: 'model' | 'tool'): void
}

/** A tracker for a budget, to hand to several evaluations. */
export function createBudgetTracker(budget: Budget): BudgetTracker {
  assertBudget(budget)
  const perEvaluation = new Map<string, TokenUsage>()
  let consumed: Consumption = { modelCalls: 0, toolCalls: 0 }
  const count = (key: 'modelCalls' | 'toolCalls') => (consumed = { ...consumed, [key]: consumed[key] + 1 })

  const fail = (dimension: (typeof budgetDimensions)[number][0], limit: number, used: number) => {
    throw new BudgetExceededError({ dimension, consumed, limit, used })
  }

  return {
    budget,
    get consumed() {
      return consumed
    },
    add(evaluationId, usage) {
      perEvaluation.set(evaluationId, addUsage(perEvaluation.get(evaluationId) ?? {}, usage))
      consumed = { ...consumed, ...addUsage(consumed, usage) }
    },
    recordCumulative(evaluationId, usage) {
      const before = perEvaluation.get(evaluationId) ?? {}
      perEvaluation.set(evaluationId, usage)
      consumed = { ...consumed, ...addUsage(consumed, subtractUsage(usage, before)) }
    },
    countModelCall: () => count('modelCalls'),
    countToolCall: () => count('toolCalls'),
    check() {
      if (budget.deadline?.remaining() === 0)
        throw new BudgetExceededError({ dimension: 'deadline', consumed, limit: 0, used: 0 })
      for (const [dimension, key] of budgetDimensions) {
        const limit = budget[key]
        const used = usedOf(consumed, key)
        if (limit !== undefined && used > limit) fail(dimension, limit, used)
      }
    },
    checkNext(what) {
      const [dimension, key] =
        what === 'model'
          ? (['model_calls', 'maxModelCalls'] as const)
          : (['tool_calls', 'maxToolCalls'] as const)
      const limit = budget[key]
      const used = usedOf(consumed, key)
      if (limit !== undefined && used >= limit) fail(dimension, limit, used + 1)
    },
  }
}

/** How much of a limit is used up. */
export function usedOf(consumed: Consumption, key: (typeof budgetDimensions)[number][1]): number {
  switch (key) {
    case 'maxInputTokens':
      return consumed.inputTokens ?? 0
    case 'maxOutputTokens':
      return consumed.outputTokens ?? 0
    case 'maxTotalTokens':
      return totalOf(consumed) ?? 0
    case 'maxModelCalls':
      return consumed.modelCalls
    case 'maxToolCalls':
      return consumed.toolCalls
  }
}
