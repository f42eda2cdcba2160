import type { Envelope } from '@clewline/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { envelopeEncoder } from './encode-envelope.ts'
import { bytesAfter, entriesOf, segmentOf } from './frames.ts'

const text = fc.string({ unit: 'binary', maxLength: 12 })
const token: fc.Arbitrary<Envelope> = fc.record({
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
})

test('the text is what JSON.stringify gives, whatever came before', () => {
  fc.assert(
    fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
      const encode = envelopeEncoder()
      for (const envelope of tokens) expect(encode(envelope)).toBe(JSON.stringify(envelope))
    }),
  )
})

test('a segment gives back its entries, and from any position on the bytes of the rest', () => {
  fc.assert(
    fc.property(
      fc.array(token, { minLength: 1, maxLength: 20 }),
      fc.nat(25),
      fc.nat(1_000),
      (tokens, cut, start) => {
        const entries = tokens.map((envelope, i) => ({ position: start + i + 1, envelope }))
        const segment = segmentOf(entries, start + 1, envelopeEncoder())
        const after = start + cut
        const rest = entries.filter(({ position }) => position > after)
        // -0 is 0 in JSON.
        expect(JSON.stringify(entriesOf(segment, after))).toBe(JSON.stringify(rest))
        expect(Buffer.from(bytesAfter(segment, after)).toString()).toBe(
          Buffer.from(segmentOf(rest, after).bytes).toString(),
        )
      },
    ),
  )
})
