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
