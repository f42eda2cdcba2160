import { createTimeline } from '@clewline/core/view'
import { expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { budgetsOf } from './budget.ts'
import { contextUse } from './context-use.ts'

const view = createTimeline(recording({ agents: 2, tokens: 10 })).latest()

it.each([
  [{}, []],
  [{ budget: 'much' }, []],
  [
    { budget: { max_total_tokens: 50_000 } },
    [{ label: 'Budget', used: view.usage.total_tokens, limit: 50_000, unit: 'tokens' }],
  ],
  [{ budget: { maxModelCalls: 9 } }, [{ label: 'Model calls', used: 6, limit: 9, unit: 'calls' }]],
  [
    { budget: { dimension: 'total_tokens', used: 40, limit: 45 } },
    [{ label: 'Budget', used: 40, limit: 45, unit: 'tokens' }],
  ],
  [{ budget: { max_tool_calls: 4 } }, [{ label: 'Tool calls', used: 2, limit: 4, unit: 'calls' }]],
])('reads the budget in %j', (state, budgets) => {
  expect(budgetsOf({ ...view, state })).toEqual(budgets)
})

it('measures the context by the main agent’s newest prompt', () => {
  expect(contextUse(view, {})).toEqual({ last: 5200, window: null })
  expect(contextUse(view, { 'scripted-1': { input: 1, output: 1, context: 8000 } })).toEqual({
    last: 5200,
    window: 8000,
  })
})
