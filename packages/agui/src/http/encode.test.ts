import { EventType } from '@ag-ui/core'
import { expect, test } from 'vitest'
import type { Batch } from '../stream/stream-events.ts'
import { encodeEvents } from './encode.ts'

test('an event that cannot be encoded ends the stream in ENCODING_ERROR and stops the reader', async () => {
  let isStopped = false
  async function* batches(): AsyncGenerator<Batch> {
    try {
      for (const name of ['fine', 'bad', 'late'])
        yield { events: [{ type: EventType.CUSTOM, name, value: 1 }], position: 1 }
    } finally {
      isStopped = true
    }
  }
  const encode = ({ events }: Batch): Uint8Array => {
    const text = JSON.stringify(events)
    if (text.includes('bad')) throw new TypeError('no wire type')
    return new TextEncoder().encode(text)
  }
  const chunks: unknown[] = []
  for await (const chunk of encodeEvents(batches(), encode))
    chunks.push(JSON.parse(new TextDecoder().decode(chunk)))
  expect(chunks).toMatchObject([[{ name: 'fine' }], [{ type: 'RUN_ERROR', code: 'ENCODING_ERROR' }]])
  expect(isStopped).toBe(true)
})
