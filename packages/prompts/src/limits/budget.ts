import { ClewlineError } from '@clewline/core'
import { complaintAbout, type Shape } from '../shape.ts'
import type { Deadline } from './deadline.ts'

/** Hard limits. At least one must be set. */
export interface Budget {
  readonly deadline?: Deadline
  readonly maxTotalTokens?: number
  readonly maxInputTokens?: number
  readonly maxOutputTokens?: number
  readonly maxModelCalls?: number
  readonly maxToolCalls?: number
}

export const budgetDimensions = [
  ['input_tokens', 'maxInputTokens'],
  ['output_tokens', 'maxOutputTokens'],
  ['total_tokens', 'maxTotalTokens'],
  ['model_calls', 'maxModelCalls'],
  ['tool_calls', 'maxToolCalls'],
] as const

export type BudgetDimension = 'deadline' | (typeof budgetDimensions)[number][0]

const budgetShape: Shape = {
  deadline: 'object?',
  ...Object.fromEntries(budgetDimensions.map(([, key]) => [key, 'number?' as const])),
}

export function assertBudget(budget: Budget): void {
  const complaint = complaintAbout('a budget', budget, budgetShape)
  if (complaint !== undefined) throw new ClewlineError('bad-request', complaint.message, complaint)
  const limits = budgetDimensions.flatMap(([, key]) =>
    budget[key] === undefined ? [] : [[key, budget[key]] as const],
  )
  if (limits.length === 0 && budget.deadline === undefined)
    throw new ClewlineError('bad-request', 'A budget needs at least one limit.', {
      hint: 'Set maxTotalTokens, maxInputTokens, maxOutputTokens, maxModelCalls, maxToolCalls or deadline.',
    })
  for (const [key, limit] of limits)
    if (!(limit > 0))
      throw new ClewlineError('bad-request', `The limit ${key} of a budget must be positive, not ${limit}.`, {
        hint: 'Leave a limit out when it should not apply.',
      })
}
