import { expect, test } from 'vitest'
import { retryDelay } from './retry-delay.ts'

test.each([
  [0, 100, 200],
  [1, 200, 400],
  [5, 3_200, 6_400],
  [40, 30_000, 60_000],
])('after %i failures a run waits %i to %i ms', (crashes, least, most) => {
  expect([retryDelay(crashes, () => 0), retryDelay(crashes, () => 1)]).toEqual([least, most])
})
