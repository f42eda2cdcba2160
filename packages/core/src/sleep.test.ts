import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sleep } from './sleep.ts'
import { within } from './within.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('sleep lasts as long as it is asked to, and leaves no timer behind', async () => {
  const stop = new AbortController()
  let isOver = false
  const over = sleep(100, stop.signal).then(() => (isOver = true))
  await vi.advanceTimersByTimeAsync(99)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await over
  stop.abort()
  expect(vi.getTimerCount()).toBe(0)
})

test.each(['before', 'while'])(
  'sleep rejects with the reason of a signal that aborts %s it lasts',
  async (when) => {
    const stop = new AbortController()
    if (when === 'before') stop.abort('enough')
    const sleeping = sleep(100, stop.signal)
    stop.abort('enough')
    await expect(sleeping).rejects.toBe('enough')
    expect(vi.getTimerCount()).toBe(0)
  },
)

test('within says whether a promise resolved in time, and rejects as it does', async () => {
  const late = within(sleep(100), 50)
  const early = within(sleep(100), 150)
  await vi.advanceTimersByTimeAsync(100)
  expect([await late, await early]).toEqual([false, true])
  await expect(within(Promise.reject(new Error('lost')), 50)).rejects.toThrow('lost')
  expect(vi.getTimerCount()).toBe(0)
})
