import { createTimeline, lanes } from '@clewline/core/view'
import { describe, expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { timeScale } from './time-scale.ts'

const view = createTimeline(recording({ agents: 2, tokens: 20 })).latest()
const all = lanes(view)
const end = Math.max(...all.map(({ ended_at }) => ended_at ?? 0))

describe('timeScale', () => {
  it('keeps order and stays between 0 and 1', () => {
    const scale = timeScale(all, end)
    const xs = all
      .flatMap(({ bars }) => bars.map(({ started_at }) => started_at))
      .toSorted((a, b) => a - b)
      .map((ts) => scale.at(ts))
    expect(xs.every((x) => x >= 0 && x <= 1)).toBe(true)
    expect(xs).toEqual(xs.toSorted((a, b) => a - b))
    expect(scale.folds).toEqual([])
  })

  it('folds an hour of waiting to less than a second', () => {
    const [first, ...rest] = all
    const later = rest.map((lane) => ({
      ...lane,
      bars: lane.bars.map((bar) => ({
        ...bar,
        started_at: bar.started_at + 3600,
        ended_at: (bar.ended_at ?? 0) + 3600,
      })),
    }))
    const scale = timeScale([{ ...first!, bars: first!.bars.slice(0, 1) }, ...later], end + 3600)
    expect(scale.span).toBeLessThan(10)
    expect(scale.folds).toHaveLength(1)
    expect(scale.folds[0]?.seconds).toBeGreaterThan(3590)
  })

  it('draws an empty thread', () => {
    expect(timeScale([], 0).at(5)).toBe(0)
  })
})
