import { expect, test } from 'vitest'
import { createPace } from './pace.ts'

/** When each is shown, in ms after the first, if showing takes `cost` ms. */
function shownAt(recorded: readonly number[], speed: number, cost = 0): readonly number[] {
  const pace = createPace(speed)
  let now = 5_000
  return recorded.map((ts) => {
    const pause = pace(ts, now)
    // Timers know whole milliseconds.
    if (pause >= 1) now += Math.ceil(pause)
    const at = now - 5_000
    now += cost
    return at
  })
}

const tokens = Array.from({ length: 1000 }, (_, i) => 100 + i * 0.0005)

test.each([
  ['as it was recorded', [10, 10.2, 11], 1, 0, [0, 200, 1000]],
  ['four times as fast', [10, 10.2, 11], 4, 0, [0, 50, 250]],
  ['without a pause', [10, 10.2, 11], Infinity, 0, [0, 0, 0]],
  ['a pause of a day cut to two seconds', [10, 86_410], 1, 0, [0, 2_000]],
  ['no pause where time went back', [10, 9, 9.5], 1, 0, [0, 0, 500]],
  ['what showing took counts as waited', [10, 10.2, 10.4], 1, 150, [0, 200, 400]],
])('%s', (_name, recorded, speed, cost, expected) => {
  expect(shownAt(recorded, speed, cost).map(Math.round)).toEqual(expected)
})

test('pauses shorter than a timer can wait add up', () => {
  expect(shownAt(tokens, 1).at(-1)).toBeCloseTo(500, -1)
  expect(shownAt(tokens, 5).at(-1)).toBeCloseTo(100, -1)
})
