import fc from 'fast-check'
import type { Envelope } from '@clewline/core'
import { expect, test } from 'vitest'
import { readSse } from './read-sse.ts'

const envelope = (seq: number): Envelope => ({
  type: 'warning',
  ts: 1,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: null,
  seq,
  origin: 'live',
  agent: 'a',
  payload: { code: 'x', message: 'grüß\n\n😀' },
})

const stream = [
  'retry: 1000\n\n',
  ': hb\n\n',
  ...[1, 2, 3].map((n) => `id: ${n}\ndata: ${JSON.stringify(envelope(n))}\n\n`),
  'event: end\ndata: {}\n\n',
].join('')

test('entries are read wherever the bytes are cut', async () => {
  const bytes = new TextEncoder().encode(stream)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (sizes) => {
      async function* body(): AsyncGenerator<Uint8Array> {
        for (let at = 0, i = 0; at < bytes.length; at += sizes[i++ % sizes.length]!)
          yield bytes.subarray(at, at + sizes[i % sizes.length]!)
      }
      const read = []
      for await (const entry of readSse(body())) read.push(entry)
      expect(read).toEqual([1, 2, 3].map((n) => ({ position: n, envelope: envelope(n) })))
    }),
  )
})

test('what is no envelope is told, not passed on', async () => {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('id: 1\ndata: {"type":"other"}\n\n')
  }
  await expect(readSse(body()).next()).rejects.toThrow('no envelope')
})
