import { expect, test } from 'vitest'
import { threadPool } from './thread-pool.ts'

function pool(max: number) {
  let now = 0
  const evicted: string[] = []
  const threads = threadPool({
    max,
    idleMs: 100,
    make: () => ({}),
    onEvict: (thread) => void evicted.push(thread),
    now: () => now,
  })
  return { threads, evicted, wait: (ms: number) => void (now += ms) }
}

test('the longest unused thread is evicted first, a busy one never', () => {
  const { threads, evicted } = pool(2)
  threads.acquire('busy')
  for (const thread of ['a', 'b']) {
    threads.acquire(thread)
    threads.release(thread)
  }
  expect(evicted).toEqual(['a'])
  threads.acquire('c')
  expect(evicted).toEqual(['a', 'b'])
  threads.acquire('d')
  expect([threads.size, evicted]).toEqual([3, ['a', 'b']])
})

test('a thread that is idle for the time limit is evicted', () => {
  const { threads, evicted, wait } = pool(10)
  threads.acquire('old')
  threads.release('old')
  wait(101)
  threads.acquire('new')
  expect(evicted).toEqual(['old'])
})

test('a thread is given to one run at a time', () => {
  const { threads } = pool(10)
  const first = threads.acquire('t')
  expect(threads.acquire('t')).toBeUndefined()
  threads.release('t')
  expect(threads.acquire('t')).toBe(first)
})
