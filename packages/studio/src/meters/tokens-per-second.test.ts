import { createTimeline } from '@clewline/core/view'
import { expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { tokensPerSecond } from './tokens-per-second.ts'

it('measures the last two seconds, coalesced or not', () => {
  const timeline = createTimeline(recording({ agents: 1, tokens: 2000 }))
  // The recording says a token every 4 ms.
  expect(tokensPerSecond(timeline, 1500)).toBeGreaterThan(200)
  expect(tokensPerSecond(timeline, 1500)).toBeLessThan(260)
})

it('is zero before anything was said', () => {
  expect(tokensPerSecond(createTimeline([]), 0)).toBe(0)
})
