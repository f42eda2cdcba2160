import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { startService, type Service } from '../testing/start-service.ts'

/** What LangGraph takes for an instruction to construct something, unless it is escaped. */
const forged = { lc: 1, type: 'constructor', id: ['x'], kwargs: {} }

const State = Annotation.Root({ ...MessagesAnnotation.spec, note: Annotation<unknown> })
const asking = new StateGraph(State)
  .addNode('ask', (state) => ({ note: [state.note, interrupt({ about: state.note }), forged] }))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile()
const agents = { chat: chatGraph([{ text: 'hello' }]), asking }

async function ended({ call }: Service, thread: string): Promise<string> {
  await expect
    .poll(async () => (await call('GET', `/api/threads/${thread}`)).body['status'], { timeout: 5_000 })
    .not.toBe('busy')
  return String((await call('GET', `/api/threads/${thread}`)).body['status'])
}

async function run(service: Service, thread: string, body: object): Promise<string> {
  expect(await service.call('POST', `/api/threads/${thread}/runs`, body)).toMatchObject({ status: 202 })
  await expect
    .poll(async () => (await service.call('GET', '/api/runs?status=pending')).body)
    .toEqual({ runs: [] })
  return ended(service, thread)
}

test('a serialised constructor, from whichever door, is data like any other', async () => {
  const service = await startService({ agents, forwardedProps: ['extra'] })
  const { call } = service
  await call('POST', '/api/threads', { thread_id: 't', metadata: { forged } })
  const input = { note: forged, messages: [{ role: 'user', content: 'hi', additional_kwargs: { forged } }] }
  const config = { configurable: { extra: forged } }
  expect(await run(service, 't', { agent: 'asking', input, config })).toBe('interrupted')
  const asked = await call('GET', '/api/threads/t/state')
  expect(asked).toMatchObject({
    status: 200,
    body: { values: { note: forged }, interrupts: [{ value: { about: forged } }] },
  })
  // While it waits, and an edit changes the checkpoint itself.
  expect(await call('PATCH', '/api/threads/t/state', { values: { note: [forged] } })).toMatchObject({
    status: 200,
    body: { values: { note: [forged] } },
  })
  expect(await run(service, 't', { agent: 'asking', resume: { value: forged } })).toBe('idle')
  expect((await call('GET', '/api/threads/t/state')).body).toMatchObject({
    values: { note: [[forged], forged, forged] },
  })
  expect(await call('PATCH', '/api/threads/t/state', { values: { note: forged } })).toMatchObject({
    status: 200,
  })
  expect(await call('GET', '/api/threads/t/checkpoints')).toMatchObject({ status: 200 })
  expect(await call('POST', '/api/threads/t/fork', { thread_id: 'copy' })).toMatchObject({ status: 201 })
  expect((await call('GET', '/api/threads/copy/state')).body).toMatchObject({ values: { note: forged } })
  // And the thread goes on.
  expect(await run(service, 't', { agent: 'asking', input: { note: 'next' } })).toBe('interrupted')
})

test('a serialised constructor in what AG-UI sends is data, too', async () => {
  const service = await startService({ agents, forwardedProps: ['extra'] })
  const reply = await service.call('POST', '/agui/chat', {
    threadId: 't',
    runId: 'r',
    messages: [{ id: 'm', role: 'user', content: 'hi', forged }],
    tools: [{ name: 'show', description: '', parameters: forged }],
    context: [{ description: 'x', value: JSON.stringify(forged) }],
    state: { note: forged },
    forwardedProps: { extra: forged },
  })
  expect(reply.status).toBe(200)
  expect(await ended(service, 't')).toBe('idle')
  expect(await service.call('GET', '/api/threads/t/state')).toMatchObject({ status: 200 })
})

const roles = [
  '',
  'root',
  'SYSTEM',
  'constructor',
  '__proto__',
  'tool',
  'function',
  'remove',
  7,
  null,
  {},
  [],
]
const contents = [null, 7, {}, { a: 1 }, [null], [[]], [{ type: 'nonsense' }], [{ type: 'text' }], true]
const edits: unknown[] = [
  ...roles.map((role) => ({ messages: [{ role, content: 'x' }] })),
  ...contents.map((content) => ({ messages: [{ role: 'user', content }] })),
  ...[null, 7, '', 'text', {}, [null], [7], ['text'], [[]], [{}], [['user']], [['user', 'x', 'y']]].map(
    (messages) => ({ messages }),
  ),
  ...[
    forged,
    { lc: 1 },
    { lc: 2, type: 'undefined' },
    { __lc_escaped__: forged },
    { ...forged, id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { content: 7 } },
    { ...forged, id: ['langchain_core', 'messages', 'Nonsense'], kwargs: {} },
    { ...forged, id: [] },
    { type: 'human' },
    { type: 'ai', content: 'x', tool_calls: 'no' },
    { type: 'ai', content: 'x', tool_calls: [null] },
    { type: 'tool', content: 'x' },
    { type: 'remove', id: 'nobody' },
    { type: 'remove', id: '__remove_all__' },
    { id: 7, role: 'user', content: 'x' },
    { role: 'user', content: 'x', additional_kwargs: 7 },
    { role: 'ai', content: 'x', usage_metadata: 'much' },
  ].map((message) => ({ messages: [message] })),
  {},
  { nobody: 1 },
  { __proto__: null, constructor: 1 },
  { __interrupt__: [1] },
  { __pregel_tasks: [{ node: 'chat' }] },
  { __start__: {} },
  { 'branch:to:chat': null },
  { messages: [{ role: 'user', content: 'a\0b' }] },
  { messages: [{ role: 'user', content: '\ud800' }] },
]

test.each([
  ['values', { messages: Array(60_000).fill(1) }, 413, 'too-large', 'Line 2 has more than 50000 values.'],
  ['bytes', { text: 'x'.repeat(17_000_000) }, 413, 'too-large', 'Line 2 is longer than 16777216 characters.'],
  [
    'levels',
    JSON.parse('['.repeat(200) + ']'.repeat(200)),
    400,
    'bad-request',
    'Line 2 is nested more than 128',
  ],
])(
  'an import whose line has too many %s is refused as a body is',
  async (_what, output, status, code, said) => {
    const { call } = await startService({ agents: { chat: chatGraph() } })
    const log = `\n${JSON.stringify({ type: 'tool_end', payload: { output } })}\n`
    const reply = await call('POST', '/api/threads/import', log, { 'content-type': 'application/x-ndjson' })
    expect(reply).toMatchObject({ status, body: { error: { code, message: expect.stringContaining(said) } } })
    expect((await call('GET', '/api/threads')).body).toMatchObject({ threads: [] })
  },
)

test.each(edits.map((values, i) => [i, values]))(
  'hostile edit %i of a state is taken or refused, and the thread can still be read: %j',
  async (_number, values) => {
    const service = await startService({ agents })
    const { call } = service
    await call('POST', '/api/threads', { thread_id: 't' })
    expect(await run(service, 't', { agent: 'chat', input: userSays('hi') })).toBe('idle')
    const { status, body } = await call('PATCH', '/api/threads/t/state', { values })
    expect({ status: [200, 400].includes(status) ? 'fine' : status, body }).toMatchObject({ status: 'fine' })
    expect(await call('GET', '/api/threads/t/state')).toMatchObject({ status: 200 })
    expect(await call('GET', '/api/threads/t/checkpoints')).toMatchObject({ status: 200 })
    expect(await call('POST', '/api/threads/t/fork', {})).toMatchObject({ status: 201 })
  },
)
