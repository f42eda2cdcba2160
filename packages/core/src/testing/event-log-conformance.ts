import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Envelope } from '../envelope.ts'
import type { Entry, EventLog, ReadOptions } from '../event-log.ts'

/** A log that is to be tested, and how to get rid of it. */
export interface LogUnderTest {
  readonly log: EventLog
  dispose?(): void | Promise<void>
}

type Made = EventLog | LogUnderTest

/**
 * What every `EventLog` must do, as vitest tests. Call it at the top of a test file; `makeLog` gives an empty log for
 * each test, alone or with a way to get rid of it.
 */
export function eventLogConformance(name: string, makeLog: () => Made | Promise<Made>): void {
  describe(`event log: ${name}`, () => {
    let made: LogUnderTest
    let log: EventLog
    let stop: AbortController
    beforeEach(async () => {
      const one = await makeLog()
      made = 'log' in one ? one : { log: one }
      log = made.log
      stop = new AbortController()
    })
    afterEach(async () => {
      stop.abort()
      await made.dispose?.()
    })

    const follow = (thread: string, options: ReadOptions = {}): AsyncIterable<readonly Entry[]> =>
      log.read(thread, { signal: stop.signal, ...options })
    const history = (thread: string, after = 0): Promise<Entry[]> =>
      collect(log.read(thread, { after, follow: false }))

    test('a thread without envelopes is empty and at position 0', async () => {
      expect(await log.last('none')).toBe(0)
      expect(await history('none')).toEqual([])
    })

    test('positions count from 1, in the order of appending, for each thread on its own', async () => {
      expect(await log.append('a', envelopes(1, 2))).toBe(2)
      expect(await log.append('b', envelopes(1, 1))).toBe(1)
      expect(await log.append('a', envelopes(3, 3))).toBe(5)
      expect(await history('a')).toEqual(entries(1, 5))
      expect(await history('b')).toEqual(entries(1, 1))
      expect(await log.last('a')).toBe(5)
    })

    test('what is read is what was appended, whatever is in it', async () => {
      const odd = envelope(1, {
        text: 'a\u0000b\u2028c"\\\n😀',
        deep: { list: [null, true, -1.5e-7], '': {} },
      })
      await log.append('a', [odd])
      expect(await history('a')).toEqual([{ position: 1, envelope: odd }])
    })

    test('appending nothing changes nothing', async () => {
      await log.append('a', envelopes(1, 3))
      expect(await log.append('a', [])).toBe(3)
      expect(await history('a')).toHaveLength(3)
    })

    test('appends made at once are all there, none torn apart', async () => {
      const batches = Array.from({ length: 20 }, (_, i) => envelopes(i * 10 + 1, 10))
      const lasts = await Promise.all(batches.map((batch) => log.append('a', batch)))
      const read = await history('a')
      expect(read.map(({ position }) => position)).toEqual(range(1, 200))
      // Made without waiting for each other, they are still in the order in which they were made.
      expect(read.map(({ envelope }) => envelope.seq)).toEqual(range(1, 200))
      expect(lasts).toEqual(range(1, 20).map((n) => n * 10))
    })

    test('reading starts after the position that is asked for', async () => {
      await log.append('a', envelopes(1, 10))
      expect(await history('a', 7)).toEqual(entries(8, 10))
      expect(await history('a', 10)).toEqual([])
    })

    test('a position beyond the end waits for what comes after it', async () => {
      await log.append('a', envelopes(1, 2))
      expect(await history('a', 5)).toEqual([])
      const read = take(follow('a', { after: 4 }), 2)
      await log.append('a', envelopes(3, 4))
      expect(await read).toEqual(entries(5, 6))
    })

    test('a reader of a thread that does not exist yet gets its first envelope', async () => {
      const read = take(follow('new'), 1)
      await log.append('new', envelopes(1, 1))
      expect(await read).toEqual(entries(1, 1))
    })

    test('history is followed by what comes, without a gap or a double, while it is being appended', async () => {
      for (const start of [0, 50, 137, 300]) {
        const thread = `live ${start}`
        const writing = write(log, thread, 600, start)
        const read = take(follow(thread, { after: start }), 600 - start)
        expect((await read).map(({ position }) => position)).toEqual(range(start + 1, 600))
        await writing
      }
    })

    test('many readers that come at different moments all see the same', async () => {
      const writing = write(log, 'a', 400, 7)
      const readers: Promise<Entry[]>[] = []
      for (let i = 0; i < 20; i++) {
        readers.push(take(follow('a', { after: i * 10 }), 400 - i * 10))
        await log.last('a')
      }
      for (const [i, read] of readers.entries()) expect(await read).toEqual(entries(i * 10 + 1, 400))
      await writing
    })

    test('a reader sees only its own thread', async () => {
      const read = take(follow('a'), 2)
      await log.append('b', envelopes(1, 5))
      await log.append('a', envelopes(1, 2))
      expect(await read).toEqual(entries(1, 2))
    })

    test('a reader slower than the writer loses nothing and does not hold it up', async () => {
      const reader = follow('a')[Symbol.asyncIterator]()
      const first = reader.next()
      await write(log, 'a', 2000, 3)
      expect(await log.last('a')).toBe(2000)
      const seen: Entry[] = [...(await first).value]
      while (seen.length < 2000) seen.push(...(await reader.next()).value)
      expect(seen.map(({ position }) => position)).toEqual(range(1, 2000))
    })

    test('one large batch is appended and read as a whole', async () => {
      const big = range(1, 5000).map((seq) => envelope(seq, { text: 'x'.repeat(200) }))
      expect(await log.append('a', big)).toBe(5000)
      expect((await history('a')).map(({ position }) => position)).toEqual(range(1, 5000))
      expect(await take(follow('a', { after: 4998 }), 2)).toHaveLength(2)
    })

    test('aborting ends a reader, waiting or not, without an error', async () => {
      await log.append('a', envelopes(1, 3))
      const waiting = collect(follow('a'))
      const before = new AbortController()
      before.abort()
      expect(await collect(log.read('a', { signal: before.signal }))).toEqual([])
      const reader = follow('a')[Symbol.asyncIterator]()
      await reader.next()
      stop.abort()
      expect(await reader.next()).toMatchObject({ done: true })
      expect((await waiting).length).toBeLessThanOrEqual(3)
    })

    test('a reader that is left does not keep others from reading', async () => {
      await log.append('a', envelopes(1, 3))
      for await (const batch of follow('a')) if (batch.length > 0) break
      expect(await history('a')).toHaveLength(3)
      expect(await log.append('a', envelopes(4, 1))).toBe(4)
    })

    test('removing a thread ends its readers and forgets its envelopes, and no other thread', async () => {
      await log.append('a', envelopes(1, 3))
      await log.append('b', envelopes(1, 1))
      const readers = [collect(follow('a')), collect(follow('a', { after: 3 }))]
      const other = take(follow('b', { after: 1 }), 1)
      await log.last('a')
      await log.remove('a')
      expect((await Promise.all(readers)).map((seen) => seen.length <= 3)).toEqual([true, true])
      expect(await log.last('a')).toBe(0)
      expect(await history('a')).toEqual([])
      await log.append('b', envelopes(2, 1))
      expect(await other).toEqual(entries(2, 2))
      expect(await log.append('a', envelopes(1, 1))).toBe(1)
    })

    test('removing a thread that does not exist is not an error', async () => {
      await expect(log.remove('none')).resolves.toBeUndefined()
    })

    test('an append that cannot be stored leaves nothing behind', async () => {
      await log.append('a', envelopes(1, 1))
      const broken = new Proxy(envelope(3), {
        get() {
          throw new Error('unreadable')
        },
        ownKeys() {
          throw new Error('unreadable')
        },
      })
      // A log that keeps references need not look into an envelope; then all of it must be there.
      const outcome = await log.append('a', [envelope(2), broken]).then(
        () => 3,
        () => 1,
      )
      expect(await log.last('a')).toBe(outcome)
      expect(await log.append('a', envelopes(4, 1))).toBe(outcome + 1)
    })
  })
}

function envelope(seq: number, more: Record<string, unknown> = {}): Envelope {
  return {
    type: 'warning',
    ts: 1,
    trace_id: 'trace',
    run_id: 'run',
    call_id: 'call',
    parent_id: null,
    seq,
    origin: 'live',
    agent: 'agent',
    payload: { code: 'test', message: `${seq}`, ...(more as object) },
  }
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
const envelopes = (first: number, count: number): Envelope[] =>
  range(first, first + count - 1).map((seq) => envelope(seq))
const entries = (from: number, to: number): Entry[] =>
  range(from, to).map((position) => ({ position, envelope: envelope(position) }))

/** Appends up to `total` in batches of changing size; the same seed gives the same sizes. */
async function write(log: EventLog, thread: string, total: number, seed: number): Promise<void> {
  let state = seed + 1
  for (let done = 0; done < total;) {
    state = (state * 48_271) % 2_147_483_647
    const count = Math.min((state % 17) + 1, total - done)
    await log.append(thread, envelopes(done + 1, count))
    done += count
  }
}

async function collect(read: AsyncIterable<readonly Entry[]>): Promise<Entry[]> {
  const seen: Entry[] = []
  for await (const batch of read) seen.push(...checked(batch))
  return seen
}

/** The first `count`; more than that in the last batch is what came at the same time. */
async function take(read: AsyncIterable<readonly Entry[]>, count: number): Promise<Entry[]> {
  const seen: Entry[] = []
  for await (const batch of read) {
    seen.push(...checked(batch))
    if (seen.length >= count) break
  }
  return seen.slice(0, count)
}

function checked(batch: readonly Entry[]): readonly Entry[] {
  expect(batch).not.toHaveLength(0)
  return batch
}
