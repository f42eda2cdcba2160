import { createTimeline } from '@clewline/core/view'
import { describe, expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { compareRuns, summariseRun } from './compare-runs.ts'

const view = (agents: number): ReturnType<ReturnType<typeof createTimeline>['latest']> =>
  createTimeline(recording({ agents, tokens: 10 })).latest()

describe('compareRuns', () => {
  it('aligns a run with itself line by line', () => {
    const rows = compareRuns(view(2), view(2))
    expect(rows).toHaveLength(view(2).calls.size)
    expect(rows.every(({ left, right }) => left?.name === right?.name)).toBe(true)
  })

  it('shows on one side what only that run did', () => {
    const rows = compareRuns(view(2), view(3))
    const extra = rows.filter(({ left }) => left === null)
    expect(extra.map(({ right }) => right?.kind)).toEqual(['subagent', 'llm', 'tool', 'llm'])
    expect(rows.filter(({ right }) => right === null)).toEqual([])
  })

  it('sums up a run', () => {
    expect(summariseRun(view(2))).toMatchObject({ errors: 0, agents: 2, calls: view(2).calls.size })
    expect(summariseRun(view(2)).answer).not.toBe('')
  })
})
