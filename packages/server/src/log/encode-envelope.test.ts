import type { Envelope } from '@clewline/core'
import type { StoredEnvelope } from '@clewline/core/parts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDecoder } from './decoder.ts'
import { envelopeEncoder, logEncoder } from './encode-envelope.ts'
import { bytesAfter, framesOf, segmentOf } from './frames.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  // Long enough to be a part, and sometimes the same.
  fc.constantFrom('x'.repeat(300), 'y\n'.repeat(200)),
)
const token = fc.record({
  type: fc.constant('llm_token' as const),
  ts: fc.double({ min: 0, max: 2e9, noNaN: true }),
  trace_id: fc.constantFrom('t1', 't2'),
  run_id: fc.constantFrom('r1', 'r"2'),
  call_id: fc.constantFrom('c1', 'c2', 'c3'),
  parent_id: fc.constantFrom(null, 'p\\1'),
  seq: fc.nat(),
  origin: fc.constantFrom('live' as const, 'replay' as const),
  agent: text,
  payload: fc.record(
    { text, channel: fc.constantFrom('text' as const, 'reasoning' as const) },
    { requiredKeys: ['text'] },
  ),
}) satisfies fc.Arbitrary<Envelope & StoredEnvelope>

test('the text is what JSON.stringify gives, whatever came before', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
      const encode = envelopeEncoder()
      for (const envelope of tokens) expect(encode(envelope)).toBe(JSON.stringify(envelope))
    }),
  )
})

test('a segment gives back its entries, and from any position on the bytes of the rest with their parts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(token, { minLength: 1, maxLength: 20 }),
      fc.nat(25),
      fc.nat(1_000),
      async (tokens, cut, start) => {
        const entries = tokens.map((envelope, i) => ({ position: start + i + 1, envelope }))
        const segment = segmentOf(entries, start + 1, logEncoder()(new Set()))
        const after = start + cut
        const rest = entries.filter(({ position }) => position > after)
        const decoder = createDecoder({ rowsOfParts: async () => [] }, 't')
        // -0 is 0 in JSON.
        expect(JSON.stringify((await decoder.decode(segment, after)).entries)).toBe(JSON.stringify(rest))
        const frames = [...framesOf(segment)]
        const behind = frames.findLastIndex((frame) => frame.type === 'envelope' && frame.position <= after)
        expect([...framesOf({ bytes: bytesAfter(segment, after) })]).toEqual(frames.slice(behind + 1))
      },
    ),
  )
})
