import { describe, expect, expectTypeOf, test } from 'vitest'
import { envelopeJsonSchema } from './check/envelope-json-schema.ts'
import type { SchemaEnvelope } from './envelope-schema.ts'
import type { Envelope } from './envelope.ts'
import { parseEnvelope } from './read/parse-envelope.ts'

/** Keys, which assignability alone does not compare: an optional field may be missing on either side. */
type Keys<E extends Envelope> = {
  [T in E['type']]: [keyof Extract<E, { type: T }>, keyof Extract<E, { type: T }>['payload']]
}
type Part<E extends Envelope, T extends E['type'], K extends PropertyKey> =
  Required<Extract<E, { type: T }>['payload']> extends { [key in K]: infer P } ? keyof P : never
type Parts<E extends Envelope> = [
  Part<E, 'tool_update', 'delta'>,
  Part<E, 'tool_update', 'progress'>,
  Part<E, 'llm_token', 'tool_call'>,
  Part<E, 'llm_end', 'message'>,
]

test('the schema and the types say the same', () => {
  expectTypeOf<SchemaEnvelope>().toExtend<Envelope>()
  expectTypeOf<Envelope>().toExtend<SchemaEnvelope>()
  expectTypeOf<Keys<SchemaEnvelope>>().toEqualTypeOf<Keys<Envelope>>()
  expectTypeOf<Parts<SchemaEnvelope>>().toEqualTypeOf<Parts<Envelope>>()
})

// Regenerate with `npx vitest run packages/core/src/envelope-schema.test.ts -u`.
test('the published JSON Schema is current', async () => {
  await expect(`${JSON.stringify(envelopeJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    '../envelope.schema.json',
  )
})

const head = {
  ts: 1,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: null,
  seq: 1,
  origin: 'live',
  agent: 'a',
}
const good = {
  type: 'tool_start',
  ...head,
  payload: { tool_name: 'main', kind: 'graph', input: { deep: [1] } },
}

const circle: Record<string, unknown> = {}
circle['self'] = circle
const deep: unknown = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)

describe('parseEnvelope', () => {
  test('gives the value itself, with fields of a later version', () => {
    const later = { ...good, shard: 7 }
    expect(parseEnvelope(later)).toEqual({ envelope: later })
  })

  test.each<[unknown, string]>([
    [7, 'Not an envelope: it is not an object.'],
    [[good], 'Not an envelope: it is not an object.'],
    [{}, 'Not an envelope: it has no "type".'],
    [
      { ...good, type: 'on_chain_start' },
      'Not an envelope: "on_chain_start" is no type. Known types: tool_start, ',
    ],
    [{ ...good, seq: 0 }, 'Not a valid "tool_start" envelope: "seq" is too small.'],
    [{ ...good, seq: '1' }, 'Not a valid "tool_start" envelope: "seq" is not of type number.'],
    [{ ...good, origin: 'x' }, 'Not a valid "tool_start" envelope: "origin" is not one of live, replay.'],
    [{ ...good, parent_id: undefined }, 'Not a valid "tool_start" envelope: "parent_id" is missing.'],
    [
      { ...good, payload: { kind: 'graph' } },
      'Not a valid "tool_start" envelope: "payload.tool_name" is missing.',
    ],
    [
      { ...good, payload: { ...good.payload, kind: 'agent' } },
      'Not a valid "tool_start" envelope: "payload.kind" is not one of graph, subgraph, subagent, tool, node.',
    ],
  ])('says what is wrong with %j', (value, problem) => {
    const parsed = parseEnvelope(value)
    expect('problem' in parsed && parsed.problem).toContain(problem)
  })

  test.each<[string, unknown, string]>([
    ['a type that JSON cannot say', { ...good, type: 10n }, '"10" is no type'],
    ['a type that is a circle', { ...good, type: circle }, '{"self":"[cycle]"} is no type'],
    ['a long type', { ...good, type: 'x'.repeat(1_000_000) }, '…[cut: 999976 characters]" is no type'],
    ['a circle', { ...good, payload: { ...good.payload, input: circle } }, 'it is nested too deep.'],
    ['a payload without a bottom', { ...good, payload: { ...good.payload, input: deep } }, 'it is nested'],
    [
      'a getter that throws',
      Object.defineProperty({}, 'type', {
        get: () => {
          throw new Error('no')
        },
      }),
      'it cannot be read.',
    ],
  ])('says what is wrong with %s', (_name, value, problem) => {
    const parsed = parseEnvelope(value)
    expect('problem' in parsed && parsed.problem).toContain(problem)
  })
})
