import { expect, it } from 'vitest'
import { axisTicks } from './axis-ticks.ts'

it.each([
  [29.5, 6, ['0', '5 s', '10 s', '15 s', '20 s', '25 s']],
  [5.7, 6, ['0', '1 s', '2 s', '3 s', '4 s', '5 s']],
  [0.24, 6, ['0', '50 ms', '100 ms', '150 ms', '200 ms']],
  [400, 4, ['0', '1m 40s', '3m 20s', '5m']],
  [15.6, 3, ['0', '10 s']],
  [10.2, 2, ['0']],
  [3, 6, ['0', '500 ms', '1 s', '1.5 s', '2 s', '2.5 s']],
])('marks %d seconds at round moments', (span, count, texts) => {
  const ticks = axisTicks(span, count)
  expect(ticks.map(({ text }) => text)).toEqual(texts)
  expect(ticks.every(({ at }) => at >= 0 && at < 1)).toBe(true)
})
