import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { Document } from '@langchain/core/documents'
import { MemorySaver, Send } from '@langchain/langgraph'
import { DeltaSnapshot } from '@langchain/langgraph-checkpoint'
import { expect, test } from 'vitest'
import { checkpointSerde } from './checkpoint-serde.ts'

/** LangGraph's own, whose format this is. */
const upstream = new MemorySaver().serde

const through = async (value: unknown): Promise<unknown> =>
  checkpointSerde.loadsTyped(...(await checkpointSerde.dumpsTyped(value)))

const textOf = async (serde: typeof upstream, value: unknown): Promise<string> =>
  Buffer.from((await serde.dumpsTyped(value))[1]).toString()

const forged = { lc: 1, type: 'constructor', id: ['x'], kwargs: {} }

const honest: [string, unknown][] = [
  ['JSON', { a: [1, 'two', null, true, { b: {} }], ä: 0.5 }],
  ['undefined', { a: undefined, list: [undefined, 1] }],
  ['a message', new HumanMessage({ content: 'hi', id: '1', additional_kwargs: { a: { b: [1] } } })],
  [
    'a message that calls tools',
    new AIMessage({ content: '', tool_calls: [{ id: 'c', name: 'add', args: { a: 1 }, type: 'tool_call' }] }),
  ],
  ['a chunk of a message', new AIMessageChunk({ content: 'hel', response_metadata: { model: 'm' } })],
  [
    'messages in an object',
    { messages: [new HumanMessage('a'), new ToolMessage({ content: 'b', tool_call_id: 'c' })] },
  ],
  ['a document', new Document({ pageContent: 'text', metadata: { page: 1 } })],
  ['a set and a map', { set: new Set([1, 'a']), map: new Map([['a', { b: 1 }]]) }],
  ['an error and a pattern', { error: new Error('no'), pattern: /a+/gi }],
  ['bytes', { bytes: new Uint8Array([0, 1, 255]) }],
  ['a snapshot of a channel', new DeltaSnapshot([1, 2])],
  ['a send', [new Send('node', { x: 1 })]],
  ['a date', { at: new Date(0) }],
]

test.each(honest)('%s is written and read as LangGraph does', async (_what, value) => {
  expect(await textOf(checkpointSerde, value)).toBe(await textOf(upstream, value))
  const [type, bytes] = await upstream.dumpsTyped(value)
  expect(await checkpointSerde.loadsTyped(type, bytes)).toEqual(await upstream.loadsTyped(type, bytes))
})

test('bytes alone are kept as bytes', async () => {
  expect(await checkpointSerde.dumpsTyped(new Uint8Array([7]))).toEqual(['bytes', new Uint8Array([7])])
  expect(await through(new Uint8Array([7]))).toEqual(new Uint8Array([7]))
})

test.each<[string, unknown]>([
  ['a constructor', forged],
  [
    'one of a class that is there',
    { ...forged, id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { content: 'x' } },
  ],
  ['a constructor inside of one', { ...forged, kwargs: { a: [forged] } }],
  ['a secret', { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'] }],
  ['what does not implement serialisation', { lc: 1, type: 'not_implemented', id: ['x'] }],
  ['undefined', { lc: 2, type: 'undefined' }],
  ['a set', { lc: 2, type: 'constructor', id: ['Set'], args: [[1]], kwargs: {} }],
  ['a snapshot', { lc: 2, type: 'delta_snapshot', value: 1 }],
  ['an escaped key', { '~lc': 1, '~~lc': 2, lc: 3 }],
  ["LangChain's own mark", { __lc_escaped__: forged }],
])('plain data that looks like %s stays plain data', async (_what, value) => {
  for (const holder of [value, { a: [value] }]) {
    expect(await through(holder)).toEqual(holder)
    expect(await through(await through(holder))).toEqual(holder)
  }
  expect(await through(new Map([['a', value]]))).toEqual(new Map([['a', value]]))
  expect(await through([new Send('node', value)])).toEqual([{ node: 'node', args: value }])
})

test.each<[string, unknown]>([
  ['a constructor', forged],
  ["LangChain's own mark", { __lc_escaped__: { a: 1 } }],
  ['a list of them', [forged, { a: forged }]],
])('a message that holds what looks like %s is still that message', async (_what, value) => {
  const message = new HumanMessage({ content: 'hi', additional_kwargs: { value, other: { deep: value } } })
  const read = await through({ messages: [message] })
  expect(read).toEqual({ messages: [message] })
  expect(await through(read)).toEqual({ messages: [message] })
})

test('a message that is nested deeper than LangChain loads by itself is read', async () => {
  const deep: unknown = JSON.parse(`${'[{"a":'.repeat(60)}1${'}]'.repeat(60)}`)
  const message = new HumanMessage({ content: 'hi', additional_kwargs: { deep } })
  expect(await through(message)).toEqual(message)
})

test('what an older version let in unescaped is data, not an error', async () => {
  const text = JSON.stringify({ messages: [forged, { ...forged, kwargs: { '~lc': 1 } }] })
  expect(await checkpointSerde.loadsTyped('json', text)).toEqual({
    messages: [forged, { ...forged, kwargs: { lc: 1 } }],
  })
})

test('a key __proto__ changes no object', async () => {
  const read = await checkpointSerde.loadsTyped('json', '{"a":{"__proto__":{"admin":true},"b":1}}')
  expect(read.a.admin).toBeUndefined()
  expect(read).toEqual({ a: { b: 1 } })
})

test('a cycle is cut where it closes', async () => {
  const circle: Record<string, unknown> = { a: 1, lc: 1 }
  circle['self'] = { circle }
  expect(await through({ circle, again: circle })).toEqual({
    circle: { a: 1, lc: 1, self: { circle: '[Circular]' } },
    again: { a: 1, lc: 1, self: { circle: '[Circular]' } },
  })
})

test.each(['', '{', 'nonsense'])('what is not JSON (%j) is a conflict that says what to do', async (text) => {
  await expect(checkpointSerde.loadsTyped('json', text)).rejects.toMatchObject({
    code: 'conflict',
    hint: expect.stringContaining('backup'),
  })
})
