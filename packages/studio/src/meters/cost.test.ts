import { createTimeline } from '@clewline/core/view'
import { describe, expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { costOf, costWithin, priceOf } from './cost.ts'

const prices = { 'gpt-5': { input: 2, output: 10 }, 'gpt-5-mini': { input: 1, output: 4, cached: 0.1 } }

describe('cost', () => {
  it.each([
    ['gpt-5', prices['gpt-5']],
    ['openai:gpt-5', prices['gpt-5']],
    ['gpt-5-mini-2026-01-01', prices['gpt-5-mini']],
    ['llama', undefined],
  ])('finds the price of %s', (model, price) => {
    expect(priceOf(model, prices)).toEqual(price)
  })

  it('charges cached tokens at their own price', () => {
    const usage = { input_tokens: 1_000_000, cached_tokens: 400_000, output_tokens: 100_000 }
    expect(costOf(usage, prices['gpt-5-mini'])).toBeCloseTo(0.6 + 0.04 + 0.4)
    expect(costOf(usage, undefined)).toBeNull()
  })

  it('adds up what is below a call', () => {
    const view = createTimeline(recording({ agents: 2, tokens: 10 })).latest()
    const table = { 'scripted-1': { input: 1, output: 1 } }
    expect(costWithin(view, view.roots, table)).toBeCloseTo((view.usage.total_tokens ?? 0) / 1_000_000)
    expect(costWithin(view, view.roots, {})).toBeNull()
  })
})
