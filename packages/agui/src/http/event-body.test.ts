import { expect, test } from 'vitest'
import { eventBody } from './event-body.ts'

test('a reader that leaves while much is waiting for it ends the reading', async () => {
  let isClosed = false
  let isStopped = false
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(1)
    } finally {
      isClosed = true
    }
  }
  const body = eventBody(chunks(), { heartbeat: null, heartbeatMs: 1000, stop: () => (isStopped = true) })
  const reader = body.getReader()
  await reader.read()
  await reader.cancel()
  expect([isClosed, isStopped]).toEqual([true, true])
})

test('a chunk is made when the reader asks for it, and one ahead', async () => {
  let made = 0
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      made += 1
      yield new Uint8Array(1)
    }
  }
  const body = eventBody(chunks(), { heartbeat: null, heartbeatMs: 1000, stop: () => undefined })
  const reader = body.getReader()
  for (let read = 0; read < 3; read++) await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(made).toBeLessThanOrEqual(4)
  await reader.cancel()
})

test('a reader that waits hears a heartbeat, and then what it waited for', async () => {
  let go = (): void => undefined
  const gate = new Promise<void>((resolve) => (go = resolve))
  async function* chunks(): AsyncGenerator<Uint8Array> {
    await gate
    yield new Uint8Array([2])
  }
  const heartbeat = new Uint8Array([1])
  const reader = eventBody(chunks(), { heartbeat, heartbeatMs: 5, stop: () => undefined }).getReader()
  expect((await reader.read()).value).toEqual(heartbeat)
  go()
  const seen: number[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) seen.push(...next.value)
  expect(seen.at(-1)).toBe(2)
})

test('a source that fails fails the body', async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([1])
    throw new Error('no more')
  }
  const body = eventBody(chunks(), { heartbeat: null, heartbeatMs: 1000, stop: () => undefined })
  await expect(new Response(body).text()).rejects.toThrow('no more')
})
