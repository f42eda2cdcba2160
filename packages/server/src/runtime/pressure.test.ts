import { expect, onTestFinished, test } from 'vitest'
import { createPressure } from './pressure.ts'

function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('pressure is high while the event loop is late, and falls again', async () => {
  const pressure = createPressure({ maxDelayMs: 50 })
  onTestFinished(() => pressure.stop())
  expect(pressure.isHigh()).toBe(false)
  const busy = setInterval(() => block(200), 1)
  await expect.poll(() => pressure.isHigh(), { interval: 10 }).toBe(true)
  clearInterval(busy)
  await expect.poll(() => pressure.isHigh()).toBe(false)
})

test('pressure is high while the memory is', async () => {
  const pressure = createPressure({ maxDelayMs: Infinity, maxMemory: 0.0001 })
  onTestFinished(() => pressure.stop())
  await expect.poll(() => pressure.isHigh()).toBe(true)
})
