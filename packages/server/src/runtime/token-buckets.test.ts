import { expect, test } from 'vitest'
import { createTokenBuckets } from './token-buckets.ts'

test('a bucket gives what it holds at once, then at its rate, and says how long to wait', () => {
  let now = 0
  const take = createTokenBuckets(() => now)
  expect([1, 2, 3].map(() => take('a', 2, 1))).toEqual([0, 0, 0.5])
  expect(take('b', 2, 1)).toBe(0)
  now = 500
  expect([take('a', 2, 1), take('a', 2, 1)]).toEqual([0, 0.5])
  now = 60_000
  expect([1, 2, 3].map(() => take('a', 2, 1))).toEqual([0, 0, 0.5])
})

test('less than one a second is one in more than a second', () => {
  let now = 0
  const take = createTokenBuckets(() => now)
  expect([take('a', 0.5, 1), take('a', 0.5, 1)]).toEqual([0, 2])
  now = 2_000
  expect(take('a', 0.5, 1)).toBe(0)
})

test('a refused request does not make the wait longer, and no limit is none', () => {
  const take = createTokenBuckets(() => 0)
  expect([1, 2, 3, 4].map(() => take('a', 1, 60))).toEqual([0, 60, 60, 60])
  expect([1, 2, 3].map(() => take('b', Infinity, 1))).toEqual([0, 0, 0])
})
