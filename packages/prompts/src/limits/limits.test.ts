import { describe, expect, test } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { BudgetExceededError } from './budget-exceeded-error.ts'
import { createBudgetTracker } from './budget-tracker.ts'
import type { Budget } from './budget.ts'
import { systemClock } from './clock.ts'
import { DeadlineExceededError } from './deadline-exceeded-error.ts'
import { Deadline } from './deadline.ts'

describe('deadline', () => {
  test('aborts its signal with a typed reason when time is up', () => {
    const clock = manualClock()
    const deadline = Deadline.after(100, clock)
    clock.advance(99)
    expect(deadline.remaining()).toBe(1)
    deadline.check('request')
    expect(deadline.signal.aborted).toBe(false)
    clock.advance(1)
    expect(deadline.signal.reason).toBeInstanceOf(DeadlineExceededError)
    expect(() => deadline.check('tool')).toThrow(
      expect.objectContaining({
        phase: 'tool',
        providerPayload: { deadline_expires_at: deadline.expiresAt.toISOString() },
      }),
    )
  })

  test('a disposed one never aborts', () => {
    const clock = manualClock()
    const deadline = Deadline.after(100, clock)
    deadline[Symbol.dispose]()
    clock.advance(1000)
    expect(deadline.signal.aborted).toBe(false)
  })

  test.each([
    ['the past', () => Deadline.at(new Date(0))],
    ['no date', () => Deadline.at(new Date('x'))],
    ['zero', () => Deadline.after(0)],
    ['NaN', () => Deadline.after(Number.NaN)],
  ])('%s is refused', (_name, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'bad-request' }))
  })

  test('one that is further away than a timer can be set does not fire at once', async () => {
    using deadline = Deadline.after(2 ** 32)
    await new Promise((resolve) => systemClock.setTimeout(() => resolve(null), 5, { keepAlive: true }))
    expect(deadline.signal.aborted).toBe(false)
  })
})

describe('budget', () => {
  test.each([
    ['without limits', {}, 'A budget needs at least one limit.'],
    ['with zero', { maxTotalTokens: 0 }, 'must be positive, not 0'],
    ['with a negative limit', { maxModelCalls: -1 }, 'must be positive, not -1'],
    ['with NaN', { maxInputTokens: Number.NaN }, 'must be positive'],
  ] satisfies [string, Budget, string][])('B33: a budget %s is rejected', (_name, budget, message) => {
    expect(() => createBudgetTracker(budget)).toThrow(message)
  })

  test('B33: the error names the first passed limit in the order deadline, input, output, total', () => {
    const clock = manualClock()
    const deadline = Deadline.after(10, clock)
    const usage = { inputTokens: 10, outputTokens: 10 }
    const dimensionOf = (budget: Budget) => {
      const tracker = createBudgetTracker(budget)
      tracker.add('e', usage)
      try {
        tracker.check()
      } catch (error) {
        return error instanceof BudgetExceededError ? error.dimension : error
      }
      return undefined
    }
    const all = { deadline, maxInputTokens: 9, maxOutputTokens: 9, maxTotalTokens: 9 }
    expect(dimensionOf(all)).toBe('input_tokens')
    expect(dimensionOf({ ...all, maxInputTokens: 10 })).toBe('output_tokens')
    expect(dimensionOf({ ...all, maxInputTokens: 10, maxOutputTokens: 10 })).toBe('total_tokens')
    expect(dimensionOf({ maxInputTokens: 10, maxOutputTokens: 10, maxTotalTokens: 20 })).toBeUndefined()
    clock.advance(10)
    expect(dimensionOf(all)).toBe('deadline')
  })

  test('B34: usage of several calls adds up: 110 and 130 pass a limit of 200', () => {
    const tracker = createBudgetTracker({ maxTotalTokens: 200 })
    tracker.add('e', { inputTokens: 100, outputTokens: 10 })
    tracker.check()
    tracker.add('e', { inputTokens: 100, outputTokens: 30 })
    expect(() => tracker.check()).toThrow('The budget allows 200 total tokens; 240 were used.')
  })

  test('B35: a tracker shared by two evaluations sums both, also with running totals', () => {
    const tracker = createBudgetTracker({ maxTotalTokens: 100 })
    tracker.recordCumulative('a', { inputTokens: 20, outputTokens: 10 })
    tracker.recordCumulative('a', { inputTokens: 40, outputTokens: 10 })
    tracker.recordCumulative('b', { inputTokens: 40, outputTokens: 10 })
    expect(tracker.consumed).toMatchObject({ inputTokens: 80, outputTokens: 20, totalTokens: 100 })
    tracker.check()
    tracker.add('b', { outputTokens: 1 })
    expect(() => tracker.check()).toThrow(BudgetExceededError)
  })

  test('calls are counted, and one too many is refused before it is made', () => {
    const tracker = createBudgetTracker({ maxModelCalls: 1, maxToolCalls: 1 })
    tracker.checkNext('model')
    tracker.countModelCall()
    expect(() => tracker.checkNext('model')).toThrow('The budget allows 1 model calls; 2 were used.')
    tracker.checkNext('tool')
    tracker.countToolCall()
    expect(() => tracker.checkNext('tool')).toThrow(
      expect.objectContaining({ dimension: 'tool_calls', phase: 'budget' }),
    )
  })
})
