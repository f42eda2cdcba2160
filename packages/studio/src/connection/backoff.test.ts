import { expect, it } from 'vitest'
import { backoff } from './backoff.ts'

it.each([
  [0, 250],
  [1, 500],
  [3, 2000],
  [8, 10_000],
  [1000, 10_000],
])('waits after attempt %i about %i ms', (attempt, wait) => {
  expect(backoff(attempt, () => 0.5)).toBe(wait)
})
