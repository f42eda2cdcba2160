import { createTimeline } from '@clewline/core/view'
import { expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { countAtPosition } from './count-at-position.ts'

const entries = recording({ agents: 1, tokens: 10 })
// As a coalescing reader has them: some positions are missing.
const timeline = createTimeline(entries.filter((_, index) => index % 3 === 0))

it.each([0, 1, 2, 3, 17, 1000])('shows what the log has up to position %i', (position) => {
  const n = countAtPosition(timeline, position)
  expect(timeline.entry(n - 1)?.position ?? 0).toBeLessThanOrEqual(position)
  expect(timeline.entry(n)?.position ?? Infinity).toBeGreaterThan(position)
})
