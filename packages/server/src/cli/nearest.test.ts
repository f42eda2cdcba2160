import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const words = ['start', 'run', 'watch', 'replay', 'export', 'adapt', 'verify', 'worker']

test.each([
  ['strat', 'start'],
  ['Start', 'start'],
  ['rnu', undefined],
  ['ru', 'run'],
  ['exprt', 'export'],
  ['verfiy', 'verify'],
  ['workers', 'worker'],
  ['build', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('for %s it is %s', (typed, expected) => {
  expect(nearest(typed, words)).toBe(expected)
})
