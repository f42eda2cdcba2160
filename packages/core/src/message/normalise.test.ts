import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isCompletion } from './is-completion.ts'
import { normalise } from './normalise.ts'
import type { Completion } from '../envelope.ts'

class AIMessage {
  content = [
    { type: 'reasoning', reasoning: 'hm' },
    { type: 'text', text: 'hello ' },
    { type: 'text', text: 'there' },
  ]
  id = 'm2'
  tool_calls = [{ id: 'c1', name: 'look', args: { q: 1 }, type: 'tool_call' }]
  usage_metadata = {
    input_tokens: 3,
    output_tokens: 4,
    total_tokens: 7,
    input_token_details: { cache_read: 2 },
  }
  lc_kwargs = {}
  getType() {
    return 'ai'
  }
}

const serialised = {
  lc: 1,
  type: 'constructor',
  id: ['langchain_core', 'messages', 'AIMessage'],
  kwargs: {
    content: 'stored',
    id: 'm3',
    usage_metadata: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  },
}

const ai = {
  id: 'm2',
  role: 'assistant',
  text: 'hello there',
  tool_calls: [{ id: 'c1', name: 'look', args: { q: 1 } }],
  reasoning: 'hm',
}

describe('normalise reads', () => {
  test.each<[string, unknown, Partial<Completion>]>([
    ['nothing', undefined, {}],
    ['a text', 'done', { messages: [{ id: '', role: 'assistant', text: 'done' }] }],
    ['a number', 7, {}],
    [
      'LangChain messages, and adds up their usage',
      { messages: [new AIMessage(), serialised] },
      {
        messages: [ai as Completion['messages'][number], { id: 'm3', role: 'assistant', text: 'stored' }],
        usage: { input_tokens: 4, output_tokens: 5, total_tokens: 9, cached_tokens: 2 },
      },
    ],
    [
      'a message that comes twice, counted once',
      [serialised, serialised],
      {
        messages: [
          { id: 'm3', role: 'assistant', text: 'stored' },
          { id: 'm3', role: 'assistant', text: 'stored' },
        ],
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      },
    ],
    [
      'role and content, and pairs',
      { messages: [{ role: 'user', content: 'a' }, ['ai', 'b']] },
      {
        messages: [
          { id: '', role: 'user', text: 'a' },
          { id: '', role: 'assistant', text: 'b' },
        ],
      },
    ],
    [
      'one message alone',
      { role: 'assistant', content: 'x' },
      { messages: [{ id: '', role: 'assistant', text: 'x' }] },
    ],
    [
      'what an old agent calls output',
      { output: 'x' },
      { messages: [{ id: '', role: 'assistant', text: 'x' }] },
    ],
    [
      'a command',
      { update: { messages: 'x' }, goto: [] },
      { messages: [{ id: '', role: 'assistant', text: 'x' }] },
    ],
    ['files as texts', { files: { 'a.md': 'A' } }, { files: { 'a.md': 'A' } }],
    [
      'files of deep agents, old and new, without those removed',
      { files: { a: { content: ['1', '2'], created_at: '' }, b: { content: 'B' }, c: null } },
      { files: { a: '1\n2', b: 'B' } },
    ],
    [
      'files in a list',
      {
        files: [
          { path: 'a', content: 'A' },
          { name: 'b', content: 'B' },
        ],
      },
      { files: { a: 'A', b: 'B' } },
    ],
    ['files that hold data', { files: { a: { x: 1 } } }, { files: { a: '{"x":1}' } }],
    [
      'usage as a provider says it',
      { usage: { prompt_tokens: 1, completion_tokens: 2 } },
      { usage: { input_tokens: 1, output_tokens: 2 } },
    ],
    [
      'messages among things that are none',
      { messages: [{ role: 'user', content: 'a' }, 1, {}] },
      { messages: [{ id: '', role: 'user', text: 'a' }] },
    ],
  ])('%s', (_, value, expected) => {
    expect(normalise(value)).toEqual({ messages: [], files: {}, usage: {}, ...expected })
  })

  test('where the published shape says', () => {
    const state = {
      chat: { log: ['hi'] },
      docs: { a: 'A' },
      cost: { input_tokens: 1 },
      messages: ['not this'],
    }
    expect(normalise(state, { shape: { messages: 'chat.log', files: 'docs', usage: 'cost' } })).toEqual({
      messages: [{ id: '', role: 'assistant', text: 'hi' }],
      files: { a: 'A' },
      usage: { input_tokens: 1 },
    })
  })
})

test('whatever a graph returns, normalise gives a completion, and the same one again', () => {
  const messages = fc.array(
    fc.record({ role: fc.constantFrom('user', 'ai', 'tool'), content: fc.anything() }),
  )
  const state = fc.record({ messages, files: fc.anything(), usage: fc.anything() }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.oneof(state, fc.anything({ withMap: true, withSet: true })), (value) => {
      const completion = normalise(value)
      expect(isCompletion(completion)).toBe(true)
      expect(JSON.parse(JSON.stringify(completion))).toEqual(completion)
      expect(normalise(completion)).toEqual(completion)
    }),
    { numRuns: 1000 },
  )
})
