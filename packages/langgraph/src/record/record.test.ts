import type { Json, RawMessage } from '@clewline/core'
import {
  AIMessage,
  AIMessageChunk,
  ChatMessage,
  type ContentBlock,
  HumanMessage,
  RemoveMessage,
  type StandardMessageStructure,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { Command, Send } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { scriptedModel } from '../testing/scripted-model.ts'
import { messageFrom, toolResultFrom } from './index.ts'
import { rawMessage } from './raw-message.ts'
import { recordValue } from './record-value.ts'

const written = (value: Json): Json => JSON.parse(JSON.stringify(value))
const again = (raw: RawMessage): RawMessage => JSON.parse(JSON.stringify(raw))

const usage_metadata = {
  input_tokens: 3,
  output_tokens: 4,
  total_tokens: 7,
  input_token_details: { cache_read: 1 },
}

const messages = {
  'a text': new HumanMessage('hello'),
  'a name and an id': new HumanMessage({ content: 'hello', name: 'ada', id: 'h1' }),
  'images and files': new HumanMessage({
    content: [
      { type: 'text', text: 'what is this?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'file', mimeType: 'application/pdf', data: 'BBBB', metadata: { filename: 'a.pdf' } },
    ],
  }),
  'a system prompt': new SystemMessage({
    content: [{ type: 'text', text: 'be kind', cache_control: { type: 'ephemeral' } }],
  }),
  'an answer with everything': new AIMessage<StandardMessageStructure>({
    id: 'a1',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'text', text: 'yes', annotations: [{ type: 'citation', url: 'https://example.org' }] },
    ],
    tool_calls: [{ id: 'c1', name: 'search', args: { q: 'tea' }, type: 'tool_call' }],
    invalid_tool_calls: [
      { id: 'c2', name: 'search', args: '{"q":', error: 'cut', type: 'invalid_tool_call' },
    ],
    additional_kwargs: { reasoning_content: 'hm', audio: { id: 'x' } },
    response_metadata: { finish_reason: 'stop', model_name: 'm', logprobs: null },
    usage_metadata,
  }),
  'tool calls in the form of a provider': new AIMessage({
    content: '',
    additional_kwargs: {
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":"tea"}' } }],
    },
    tool_calls: [{ id: 'c1', name: 'search', args: { q: 'tea' } }],
  }),
  'a streamed answer': [
    new AIMessageChunk({ id: 'run-1', content: 'let ' }),
    new AIMessageChunk({ id: 'run-1', content: 'me' }),
    new AIMessageChunk({
      id: 'run-1',
      content: '',
      tool_call_chunks: [{ type: 'tool_call_chunk', index: 0, id: 'c1', name: 'search', args: '{"q":' }],
    }),
    new AIMessageChunk<StandardMessageStructure>({
      id: 'run-1',
      content: '',
      tool_call_chunks: [{ type: 'tool_call_chunk', index: 0, args: ' "tea"}' }],
      usage_metadata,
      response_metadata: { finish_reason: 'tool_calls' },
    }),
  ].reduce<AIMessageChunk>(
    (all, chunk) => all.concat(chunk),
    new AIMessageChunk({ id: 'run-1', content: '' }),
  ),
  'a result with an artifact': new ToolMessage({
    content: 'three rows',
    tool_call_id: 'c1',
    name: 'query',
    status: 'success',
    artifact: { rows: [1, 2, 3] },
    metadata: { took: 3 },
  }),
  'a result of a tool that failed': new ToolMessage({ content: 'no', tool_call_id: 'c1', status: 'error' }),
  'a removal': new RemoveMessage({ id: 'a1' }),
  'a role of its own': new ChatMessage('well', 'critic'),
}

describe('a message that is made again from the record equals the original', () => {
  test.each(Object.entries(messages))('%s', (_, message) => {
    const made = messageFrom(again(rawMessage(message)))
    expect(made).toEqual(message)
    expect(made.constructor).toBe(message.constructor)
  })
})

test('an answer that was made of content blocks has the same blocks again', () => {
  const message = new AIMessage({
    contentBlocks: [
      { type: 'reasoning', reasoning: 'hm' },
      { type: 'text', text: 'yes' },
    ],
  })
  const made = messageFrom(again(rawMessage(message)))
  expect(made.content).toEqual(message.content)
  expect(made.contentBlocks).toEqual(message.contentBlocks)
  expect(made.response_metadata).toEqual(message.response_metadata)
})

test('a message is read once, and again when it was changed in place', () => {
  const message = new HumanMessage({ content: [{ type: 'text', text: 'hi' }] })
  const first = rawMessage(message)
  expect(rawMessage(message)).toBe(first)
  message.id = 'h1'
  const named = rawMessage(message)
  expect(named).toEqual({ ...first, id: 'h1' })
  if (Array.isArray(message.content)) message.content.push({ type: 'text', text: 'there' })
  expect(rawMessage(message).content).toHaveLength(2)
  message.additional_kwargs['mark'] = true
  expect(rawMessage(message)['additional_kwargs']).toEqual({ mark: true })
  expect(first).toEqual({ type: 'human', content: [{ type: 'text', text: 'hi' }] })
})

test('messages in a state are the same objects as in the input of a model', () => {
  const message = new HumanMessage('hi')
  expect(recordValue({ messages: [message], n: 1 })).toEqual({ messages: [rawMessage(message)], n: 1 })
  expect(recordValue([message])).toHaveProperty('0', rawMessage(message))
})

const { 'a result with an artifact': withArtifact } = messages

describe('what a tool returned is made again from the record', () => {
  test.each<[string, unknown]>([
    ['a message with an artifact', withArtifact],
    ['a command', new Command({ update: { messages: [withArtifact], todos: ['a'] }, goto: ['next'] })],
    ['a command to the parent', new Command({ graph: Command.PARENT, goto: [new Send('work', { n: 1 })] })],
    ['a command of pairs', new Command({ update: [['notes', 'x']] })],
    ['several', [new Command({ update: { n: 1 } }), withArtifact]],
  ])('%s', (_, output) => {
    const raw = written(recordValue(output))
    expect(toolResultFrom({ tool_name: 'query', tool_call_id: 'c1', result: null, raw })).toEqual(output)
  })

  test('a plain text, of which the result is all', () => {
    const plain = new ToolMessage({ content: 'x', tool_call_id: 'c1', name: 'query', status: 'success' })
    expect(toolResultFrom({ tool_name: 'query', tool_call_id: 'c1', result: 'x' })).toEqual(plain)
  })

  test('a value of a tool that code called', () => {
    expect(toolResultFrom({ tool_name: 'query', result: { rows: [1] } })).toEqual({ rows: [1] })
  })
})

test.each<[string, ContentBlock[]]>([
  [
    "LangChain's blocks before 1.0",
    [
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'AAAA' },
      { type: 'audio', source_type: 'base64', mime_type: 'audio/wav', data: 'BBBB' },
      { type: 'file', source_type: 'url', mime_type: 'application/pdf', url: 'https://example.org/a.pdf' },
      { type: 'file', source_type: 'id', id: 'file-1' },
    ],
  ],
  [
    'standard blocks',
    [
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'file', mimeType: 'application/pdf', url: 'https://example.org/a.pdf' },
    ],
  ],
  ['an image by its address', [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }]],
])('%s are recorded as they were sent, though callbacks are shown another form', async (_, blocks) => {
  const message = new HumanMessage({ id: 'h', content: [{ type: 'text', text: 'see' }, ...blocks] })
  const shown: RawMessage[] = []
  for (let n = 0; n < 2; n++)
    await scriptedModel([{ text: 'yes' }]).invoke([message], {
      callbacks: [
        { handleChatModelStart: (_model, messages) => void shown.push(...messages.flat().map(rawMessage)) },
      ],
    })
  expect(shown[0]).toEqual(rawMessage(message))
  expect(shown[1]).toBe(shown[0])
  expect(messageFrom(shown[0]!)).toEqual(message)
})

test('a message whose content was replaced after it was made is recorded with what replaced it', async () => {
  const image = (data: string) => ({ type: 'image', source_type: 'base64', mime_type: 'image/png', data })
  const message = new HumanMessage({ content: [image('AAAA')] })
  message.content = [image('BBBB')]
  const shown: RawMessage[] = []
  await scriptedModel([{ text: 'yes' }]).invoke([message], {
    callbacks: [
      { handleChatModelStart: (_model, messages) => void shown.push(...messages.flat().map(rawMessage)) },
    ],
  })
  expect(JSON.stringify(shown)).toContain('BBBB')
  expect(JSON.stringify(shown)).not.toContain('AAAA')
})
