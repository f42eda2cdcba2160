import type { BudgetDimension } from './budget.ts'
import { PromptEvaluationError } from './prompt-evaluation-error.ts'
import type { TokenUsage } from './token-usage.ts'

/** What was used of a budget. */
export interface Consumption extends TokenUsage {
  readonly modelCalls: number
  readonly toolCalls: number
}

/** A limit was passed. `dimension` names it; `consumed` is everything used, over all evaluations that share the budget. */
export class BudgetExceededError extends PromptEvaluationError {
  readonly dimension: BudgetDimension
  readonly consumed: Consumption
  readonly limit: number
  readonly used: number

  constructor(options: {
    readonly dimension: BudgetDimension
    readonly consumed: Consumption
    readonly limit: number
    readonly used: number
    readonly promptName?: string
    readonly cause?: unknown
  }) {
    super(
      options.dimension === 'deadline'
        ? 'The deadline of the budget has passed.'
        : `The budget allows ${options.limit} ${options.dimension.replace('_', ' ')}; ${options.used} were used.`,
      {
        promptName: options.promptName ?? '',
        phase: 'budget',
        providerPayload: { dimension: options.dimension, limit: options.limit, used: options.used },
        cause: options.cause,
      },
    )
    this.name = 'BudgetExceededError'
    this.dimension = options.dimension
    this.consumed = options.consumed
    this.limit = options.limit
    this.used = options.used
  }
}
