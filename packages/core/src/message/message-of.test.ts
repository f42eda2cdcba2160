import { expect, test } from 'vitest'
import { messageOf } from './message-of.ts'

test.each([
  ['a role and content', { role: 'user', content: 'hi' }, { id: '', role: 'user', text: 'hi' }],
  ['a tuple', ['human', 'hi'], { id: '', role: 'user', text: 'hi' }],
  ['a typed message', { type: 'ai', id: 'm1', content: 'yes' }, { id: 'm1', role: 'assistant', text: 'yes' }],
  [
    'our own message',
    { id: 'm1', role: 'assistant', text: 'yes' },
    { id: 'm1', role: 'assistant', text: 'yes' },
  ],
  [
    'a stored message',
    { type: 'human', data: { content: 'hi', id: 'm' } },
    { id: 'm', role: 'user', text: 'hi' },
  ],
  [
    'a serialised LangChain message',
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'AIMessageChunk'],
      kwargs: {
        content: '',
        id: 'run-1',
        tool_calls: [{ id: 'c', name: 'f', args: { a: 1 }, type: 'tool_call' }],
      },
    },
    { id: 'run-1', role: 'assistant', text: '', tool_calls: [{ id: 'c', name: 'f', args: { a: 1 } }] },
  ],
  [
    'an instance with getType',
    { getType: () => 'tool', content: 'done', tool_call_id: 'c', status: 'error', name: 'f' },
    { id: '', role: 'tool', text: 'done', name: 'f', tool_call_id: 'c', status: 'error' },
  ],
  [
    'OpenAI tool calls, whose arguments are text',
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c', function: { name: 'f', arguments: '{"a":1}' } },
        { function: { name: 'g', arguments: '{"a"' } },
      ],
    },
    {
      id: '',
      role: 'assistant',
      text: '',
      tool_calls: [
        { id: 'c', name: 'f', args: { a: 1 } },
        { id: '', name: 'g', args: '{"a"' },
      ],
    },
  ],
  [
    'content blocks, with reasoning apart from text',
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', reasoning: 'hm ' },
        { type: 'thinking', thinking: 'so' },
        { type: 'text', text: 'a' },
        'b',
        { type: 'tool_use', id: 'c', name: 'f', input: {} },
      ],
    },
    { id: '', role: 'assistant', text: 'ab', reasoning: 'hm so' },
  ],
  ...Object.entries({
    'an image by its address': [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }],
    "LangChain's blocks before 1.0": [
      { type: 'audio', source_type: 'base64', mime_type: 'audio/wav', data: 'AAAA' },
      { type: 'file', source_type: 'id', id: 'file-1' },
    ],
    "LangChain's standard blocks": [
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'non_standard', value: { x: 1 } },
    ],
    'a text with citations': [
      { type: 'text', text: '', annotations: [{ type: 'citation', url: 'https://example.org' }] },
    ],
  }).map(([what, blocks]): [string, unknown, unknown] => {
    const content = [{ type: 'text', text: 'see' }, ...blocks]
    return [what, { type: 'human', id: 'm', content }, { id: 'm', role: 'user', text: 'see', content }]
  }),
  [
    'reasoning in additional_kwargs',
    { type: 'ai', content: 'a', additional_kwargs: { reasoning_content: 'hm' } },
    { id: '', role: 'assistant', text: 'a', reasoning: 'hm' },
  ],
  ['something else', { role: 'wizard', content: 'hi' }, null],
  ['a message without content', { role: 'user' }, null],
  ['a string', 'hi', null],
  ['nothing', null, null],
])('%s is read', (_, value, expected) => {
  const message = messageOf(value)
  expect(message).toEqual(expected)
  if (message !== null) expect(messageOf(message)).toEqual(message)
})

test('a getter that throws makes it no message', () => {
  const trap = Object.defineProperty({ role: 'user' }, 'content', {
    enumerable: true,
    get: () => {
      throw new Error('no')
    },
  })
  expect(messageOf(trap)).toBeNull()
})
