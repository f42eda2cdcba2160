import { EventType } from '@ag-ui/core'
import { expect, test } from 'vitest'
import type { Batch } from './encode.ts'
import { eventBody } from './event-body.ts'

test('an event that cannot be encoded ends the stream in ENCODING_ERROR and stops the reader', async () => {
  let stopped = false
  async function* batches(): AsyncGenerator<Batch> {
    yield { events: [{ type: EventType.CUSTOM, name: 'fine', value: 1 }], position: 1 }
    await new Promise((resolve) => setTimeout(resolve, 5))
    yield { events: [{ type: EventType.CUSTOM, name: 'bad', value: 2 }], position: 2 }
  }
  const body = eventBody(batches(), {
    encode: ({ events }) => {
      const text = JSON.stringify(events)
      if (text.includes('bad')) throw new TypeError('no wire type')
      return new TextEncoder().encode(`${text}\n`)
    },
    heartbeat: null,
    heartbeatMs: 1000,
    stop: () => {
      stopped = true
    },
  })
  const lines = (await new Response(body).text()).trim().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject([{ type: 'RUN_ERROR', code: 'ENCODING_ERROR' }])
  expect(lines).toHaveLength(2)
  expect(stopped).toBe(true)
})

test('a reader that leaves while much is waiting for it ends the reading', async () => {
  let isClosed = false
  async function* batches(): AsyncGenerator<Batch> {
    try {
      for (let position = 1; ; position++)
        yield { events: [{ type: EventType.CUSTOM, name: 'n', value: position }], position }
    } finally {
      isClosed = true
    }
  }
  const encode = (): Uint8Array => new Uint8Array(1)
  const body = eventBody(batches(), { encode, heartbeat: null, heartbeatMs: 1000, stop: () => undefined })
  const reader = body.getReader()
  await reader.read()
  await new Promise((resolve) => setTimeout(resolve, 20))
  await reader.cancel()
  expect(isClosed).toBe(true)
})

test('a reader that waits hears a heartbeat, and then what it waited for', async () => {
  let go = (): void => undefined
  const gate = new Promise<void>((resolve) => (go = resolve))
  async function* batches(): AsyncGenerator<Batch> {
    await gate
    yield { events: [{ type: EventType.CUSTOM, name: 'n', value: 1 }], position: 1 }
  }
  const encode = (): Uint8Array => new Uint8Array([2])
  const heartbeat = new Uint8Array([1])
  const reader = eventBody(batches(), {
    encode,
    heartbeat,
    heartbeatMs: 5,
    stop: () => undefined,
  }).getReader()
  expect((await reader.read()).value).toEqual(heartbeat)
  go()
  const seen: number[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) seen.push(...next.value)
  expect(seen.at(-1)).toBe(2)
})
