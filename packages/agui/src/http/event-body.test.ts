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
