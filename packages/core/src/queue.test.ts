import { describe, expect, test } from 'vitest'
import { createQueue, type Queue } from './queue.ts'

async function collect<T>(queue: Queue<T>): Promise<T[]> {
  const taken: T[] = []
  for await (const value of queue) taken.push(value)
  return taken
}

/** Everything that was queued up in the loop has run. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** Whether it resolves without anything more being done. */
async function isResolved(promise: void | Promise<void>): Promise<boolean> {
  let resolved = promise === undefined
  void promise?.then(() => (resolved = true))
  await settled()
  return resolved
}

describe('a queue', () => {
  test('gives what was pushed, in order, before or after it is asked for', async () => {
    const queue = createQueue<number>(10)
    void queue.push(1)
    const taken = collect(queue)
    void queue.push(2)
    await settled()
    void queue.push(3)
    queue.close()
    expect(await taken).toEqual([1, 2, 3])
  })

  test('pushes back when it is full, until half of its room is free', async () => {
    const queue = createQueue<number>(4)
    const pushed = [1, 2, 3, 4, 5].map((value) => queue.push(value))
    expect(pushed.map((wait) => wait === undefined)).toEqual([true, true, true, false, false])
    const iterator = queue[Symbol.asyncIterator]()
    await iterator.next()
    await iterator.next()
    expect(await isResolved(pushed[3])).toBe(false)
    await iterator.next()
    expect(await isResolved(pushed[3])).toBe(true)
    expect(queue.push(6)).toBeUndefined()
  })

  test('never pushes back while its consumer waits, nor without a limit', async () => {
    const busy = createQueue<number>(1)
    const next = busy[Symbol.asyncIterator]().next()
    expect(busy.push(1)).toBeUndefined()
    expect(await next).toEqual({ value: 1, done: false })
    const endless = createQueue<number>(Infinity)
    const pushed = Array.from({ length: 10_000 }, (_, i) => endless.push(i))
    expect(new Set(pushed)).toEqual(new Set([undefined]))
  })

  test('throws after what was queued when it fails, and once', async () => {
    const queue = createQueue<number>(10)
    void queue.push(1)
    queue.fail(new Error('lost'))
    queue.fail(new Error('too late'))
    const iterator = queue[Symbol.asyncIterator]()
    expect(await iterator.next()).toEqual({ value: 1, done: false })
    await expect(iterator.next()).rejects.toThrow('lost')
    expect(await iterator.next()).toMatchObject({ done: true })
  })

  test('throws to a consumer that waits already', async () => {
    const queue = createQueue<number>(10)
    const taken = collect(queue)
    queue.fail(new Error('lost'))
    await expect(taken).rejects.toThrow('lost')
  })

  // Taking each value by `shift` would move those behind it, and run into the time limit here.
  test('is linear in what is queued', async () => {
    const queue = createQueue<number>(Infinity)
    const count = 1_000_000
    for (let i = 0; i < count; i++) void queue.push(i)
    queue.close()
    let next = 0
    for await (const value of queue) if (value !== next++) throw new Error(`${value} is out of order`)
    expect(next).toBe(count)
  })

  test('takes undefined for a value', async () => {
    const queue = createQueue<undefined>(10)
    void queue.push(undefined)
    queue.close()
    expect(await collect(queue)).toEqual([undefined])
  })

  test('answers each of several requests that wait', async () => {
    const queue = createQueue<number>(10)
    const iterator = queue[Symbol.asyncIterator]()
    const asked = [iterator.next(), iterator.next(), iterator.next()]
    void queue.push(1)
    void queue.push(2)
    queue.close()
    expect((await Promise.all(asked)).map(({ value }) => value)).toEqual([1, 2, undefined])
  })
})

describe('a queue closes, and says so once,', () => {
  test.each<[string, (queue: Queue<number>, stop: AbortController) => unknown, number[]]>([
    ['when its producer says so', (queue) => queue.close(), [1, 2]],
    ['when its signal aborts', (_queue, stop) => stop.abort(), [1, 2]],
    ['when its consumer leaves', (queue) => queue[Symbol.asyncIterator]().return?.(), []],
  ])('%s', async (_name, end, rest) => {
    let closed = 0
    const stop = new AbortController()
    const queue = createQueue<number>(2, { signal: stop.signal, onClose: () => (closed += 1) })
    void queue.push(1)
    const full = queue.push(2)
    await end(queue, stop)
    expect([closed, queue.isClosed, await isResolved(full)]).toEqual([1, true, true])
    expect(queue.push(3)).toBeUndefined()
    expect(await collect(queue)).toEqual(rest)
    queue.close()
    stop.abort()
    expect(closed).toBe(1)
  })

  test('when its signal had aborted before', async () => {
    const queue = createQueue<number>(2, { signal: AbortSignal.abort() })
    void queue.push(1)
    expect(await collect(queue)).toEqual([])
  })

  test('when a loop over it is left', async () => {
    const queue = createQueue<number>(10)
    for (const value of [1, 2, 3]) void queue.push(value)
    for await (const value of queue) if (value === 2) break
    expect(queue.isClosed).toBe(true)
    expect(await collect(queue)).toEqual([])
  })
})
