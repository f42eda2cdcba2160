import { createTimeline } from '@clewline/core/view'
import { describe, expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { advance, stepTo } from './player.ts'

const timeline = createTimeline(recording({ agents: 2, tokens: 100 }))
const start = timeline.entry(0)?.envelope.ts ?? 0

describe('advance', () => {
  it('goes by the time stamps of the log, and twice as far at twice the speed', () => {
    const once = advance(timeline, 1, 0.2, 1).n
    const twice = advance(timeline, 1, 0.2, 2).n
    expect((timeline.entry(once - 1)?.envelope.ts ?? 0) - start).toBeCloseTo(0.2, 1)
    expect(twice).toBe(advance(timeline, 1, 0.4, 1).n)
  })

  it('loses no time between frames', () => {
    let n = 1
    let rest = 0
    for (let frame = 0; frame < 60; frame++) ({ n, rest } = advance(timeline, n, rest + 1 / 60, 1))
    expect(Math.abs(n - advance(timeline, 1, 1, 1).n)).toBeLessThanOrEqual(1)
  })

  it('ends at the end', () => {
    expect(advance(timeline, 1, 3600, 1)).toEqual({ n: timeline.length, rest: 0 })
    expect(advance(timeline, timeline.length - 3, 0, 'max').n).toBe(timeline.length)
  })
})

describe('stepTo', () => {
  it('skips tokens and updates in both directions', () => {
    const n = stepTo(timeline, 3, 1)
    const type = timeline.entry(n - 1)?.envelope.type
    expect(n).toBeGreaterThan(3)
    expect(type).not.toBe('llm_token')
    expect(stepTo(timeline, stepTo(timeline, n, 1), -1)).toBe(n)
  })

  it('stops at the ends', () => {
    expect(stepTo(timeline, timeline.length, 1)).toBe(timeline.length)
    expect(stepTo(timeline, 1, -1)).toBe(0)
  })
})
