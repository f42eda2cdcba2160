import { expect, it } from 'vitest'
import { backoff } from './backoff.ts'

it.each([
  [0, 250],
  [1, 500],
  [3, 2000],
  [8, 10_000],
  [1000, 10_000],
])('waits after attempt %i about %i ms', (attempt, wait) => {
  expect(backoff(attempt, { random: () => 0.5 })).toBe(wait)
})

it('spreads what many readers do at once by a fifth', () => {
  expect([0, 1].map((random) => backoff(0, { firstMs: 100, random: () => random }))).toEqual([80, 120])
})
