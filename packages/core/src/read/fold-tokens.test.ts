import type { Entry, Envelope } from '../index.ts'
import { expect, test } from 'vitest'
import { foldTokens } from './fold-tokens.ts'

type Payload = Extract<Envelope, { type: 'llm_token' }>['payload']

const entriesOf = (payloads: readonly Payload[]): Entry[] =>
  payloads.map((payload, i) => ({
    position: i + 1,
    envelope: {
      type: 'llm_token',
      ts: i,
      trace_id: 't',
      run_id: 'r',
      call_id: 'c',
      parent_id: null,
      seq: i + 1,
      origin: 'live',
      agent: 'a',
      payload,
    },
  }))

const call = (index: number, id = ''): Pick<Payload, 'channel' | 'tool_call'> => ({
  channel: 'tool_args',
  tool_call: { id, name: '', index },
})

test.each<[string, readonly Payload[], readonly string[]]>([
  ['pieces of one message', [{ text: 'a', message_id: 'm' }, { text: 'b' }, { text: 'c' }], ['abc']],
  ['a channel that is named only at first', [{ text: 'a', channel: 'text' }, { text: 'b' }], ['ab']],
  [
    'two messages of one call',
    [
      { text: 'a', message_id: 'm' },
      { text: 'b', message_id: 'n' },
    ],
    ['a', 'b'],
  ],
  ['thought and speech', [{ text: 'a', channel: 'reasoning' }, { text: 'b' }], ['a', 'b']],
  [
    'arguments of one tool call',
    [
      { text: 'a', ...call(0, 'x') },
      { text: 'b', ...call(0) },
    ],
    ['ab'],
  ],
  [
    'arguments of two tool calls',
    [
      { text: 'a', ...call(0, 'x') },
      { text: 'b', ...call(1, 'y') },
    ],
    ['a', 'b'],
  ],
])('%s are folded as far as they belong together', (_what, payloads, texts) => {
  const folded = foldTokens(entriesOf(payloads))
  const said = folded.map(({ envelope }) => (envelope.type === 'llm_token' ? envelope.payload.text : ''))
  expect(said).toEqual(texts)
  expect(folded.at(-1)?.position).toBe(payloads.length)
})

const said = (entries: readonly Entry[]): string =>
  entries.map(({ envelope }) => (envelope.type === 'llm_token' ? envelope.payload.text : '')).join('')

test('half a million tokens are folded in a moment, into pieces that are no larger than a page', () => {
  const entries = entriesOf(Array.from({ length: 500_000 }, (_, i) => ({ text: `w${i} ` })))
  const before = performance.now()
  const folded = foldTokens(entries)
  expect(performance.now() - before).toBeLessThan(5_000)
  expect(said(folded)).toBe(said(entries))
  for (const { envelope } of folded) {
    expect(envelope.type === 'llm_token' && envelope.payload.text.length).toBeLessThan(33_000)
  }
  expect(folded.at(-1)).toMatchObject({ position: 500_000, envelope: { seq: 500_000 } })
})

test('tokens of calls that take turns are folded call by call, each where its last one stood', () => {
  const entries = entriesOf(Array.from({ length: 300 }, (_, i) => ({ text: `${i} ` }))).map(
    ({ position, envelope }, i): Entry => ({
      position,
      envelope: { ...envelope, call_id: `c${i % 3}`, seq: Math.floor(i / 3) + 1 },
    }),
  )
  const folded = foldTokens(entries)
  expect(folded.map(({ position, envelope }) => [position, envelope.call_id, envelope.seq])).toEqual([
    [298, 'c0', 100],
    [299, 'c1', 100],
    [300, 'c2', 100],
  ])
  expect(said(folded).length).toBe(said(entries).length)
})
