import { expect, test } from 'vitest'
import type { Envelope } from '../envelope.ts'
import { withoutInputs } from './without-inputs.ts'

const head = {
  ts: 1,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: null,
  seq: 1,
  origin: 'live',
  agent: 'a',
} as const

const human = { type: 'human', content: 'hi' }
const said = { id: '1', role: 'assistant', text: 'hi' } as const
const completion = { messages: [said], files: {}, usage: {} }

test.each<[string, Envelope['type'], object, object]>([
  [
    'what the model was asked',
    'llm_start',
    { model: 'm', params: {}, input: { messages: [human] } },
    { model: 'm', params: {} },
  ],
  ['the raw answer', 'llm_end', { usage: {}, raw: human }, { usage: {} }],
  ['the raw result of a tool', 'tool_end', { result: 'text', raw: human }, { result: 'text' }],
  [
    'the conversation in the output of a graph',
    'tool_end',
    { result: { ...completion, output: { messages: [human], title: 'Tea' } } },
    { result: { ...completion, output: { title: 'Tea' } } },
  ],
  [
    'the conversation in the state that a node returns',
    'tool_end',
    { result: { messages: [human], title: 'Tea' } },
    { result: { title: 'Tea' } },
  ],
  [
    'a conversation that is a reference',
    'tool_end',
    { result: { messages: { $list: 'h' }, n: 1 } },
    { result: { n: 1 } },
  ],
])('%s is left out', (_name, type, payload, expected) => {
  const envelope = { ...head, type, payload } as Envelope
  expect(withoutInputs(envelope)).toEqual({ ...envelope, payload: expected })
})

test.each<[string, Envelope['type'], object]>([
  ['the messages of a completion', 'tool_end', { result: completion }],
  [
    'the messages of a completion that are a reference',
    'tool_end',
    { result: { ...completion, messages: { $list: 'h' } } },
  ],
  ['the input of a graph', 'tool_start', { kind: 'graph', input: { messages: [human] } }],
  ['what a tool calls its messages', 'tool_end', { result: { messages: ['a', 'b'] } }],
])('%s stay', (_name, type, payload) => {
  const envelope = { ...head, type, payload } as Envelope
  expect(withoutInputs(envelope)).toEqual(envelope)
})
