import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSse, type SseEvent } from './read-sse.ts'

function bodyOf(chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
}

function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function all(events: AsyncIterable<readonly SseEvent[]>): Promise<SseEvent[]> {
  const found: SseEvent[] = []
  for await (const batch of events) found.push(...batch)
  return found
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

describe('readSse', () => {
  const stream =
    'retry: 1000\n\n: hb\n\nid: 7\ndata: {"a":"grüß 😀"}\n\nevent: end\r\ndata: x\r\ndata: y\r\n\r\nid: 9\n\ndata: z\n\n'
  const expected = [
    { id: '7', event: undefined, data: '{"a":"grüß 😀"}' },
    { id: undefined, event: 'end', data: 'x\ny' },
    { id: undefined, event: undefined, data: 'z' },
  ]

  it('reads the same events wherever the bytes are cut', async () => {
    const bytes = encode(stream)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (sizes) => {
        expect(await all(readSse(bodyOf(cut(bytes, sizes))))).toEqual(expected)
      }),
    )
  })

  it('gives what one chunk brought as one batch', async () => {
    const batches: (readonly SseEvent[])[] = []
    for await (const batch of readSse(bodyOf([encode('data: 1\n\ndata: 2\n\ndata: 3'), encode('\n\n')])))
      batches.push(batch)
    expect(batches.map((batch) => batch.map(({ data }) => data))).toEqual([['1', '2'], ['3']])
  })

  it('holds back an event whose blank line has not come', async () => {
    expect(await all(readSse(bodyOf([encode('data: half\n')])))).toEqual([])
  })

  // A reader that scans again what it keeps would look at 512 GiB here, and run into the time limit.
  it('is linear in one long event that comes in small chunks', async () => {
    const length = 2 ** 25
    const bytes = encode(`data: ${'x'.repeat(length)}\n\n`)
    const [event] = await all(readSse(bodyOf(cut(bytes, [1024]))))
    expect(event?.data).toHaveLength(length)
  })

  it('refuses an event above its limit instead of filling the memory', async () => {
    function* endless(): Generator<Uint8Array> {
      for (;;) yield encode('data: and so on')
    }
    await expect(all(readSse(bodyOf(endless()), { maxLength: 1000 }))).rejects.toMatchObject({
      code: 'too-large',
      message: 'An event is longer than 1000 characters.',
    })
  })

  it('says that the connection is lost when it breaks, or is silent for too long', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new TypeError('terminated')),
    })
    await expect(all(readSse(broken))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The connection was lost: terminated',
    })
    let isCancelled = false
    const silent = new ReadableStream<Uint8Array>({ cancel: () => void (isCancelled = true) })
    await expect(all(readSse(silent, { silenceMs: 10 }))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The server was silent for 0.01 s.',
    })
    expect(isCancelled).toBe(true)
  })

  it.each([
    ['aborts', false],
    ['has aborted', true],
  ])('ends without an error, and ends the connection, when its signal %s', async (_, isBefore) => {
    let isCancelled = false
    const stop = new AbortController()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encode('data: 1\n\n')),
      cancel: () => void (isCancelled = true),
    })
    if (isBefore) stop.abort()
    for await (const _ of readSse(body, { signal: stop.signal })) stop.abort()
    expect(isCancelled).toBe(true)
  })

  it('ends the connection when its reader leaves', async () => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encode('data: 1\n\n')),
      cancel: () => void (isCancelled = true),
    })
    for await (const _ of readSse(body)) break
    expect(isCancelled).toBe(true)
  })
})
