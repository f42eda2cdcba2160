import { HttpAgent } from '@ag-ui/client'
import { ConnectableHttpAgent } from '@clewline/agui/client'
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'
import { chatGraph } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

const asking = new StateGraph(MessagesAnnotation)
  .addNode('ask', async () => ({
    messages: [{ role: 'assistant', content: `You said ${String(interrupt('Sure?'))}` }],
  }))
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile()

const askingTwice = new StateGraph(MessagesAnnotation)
  .addNode('ask', async () => {
    const answers = [interrupt('Delete STAGING?'), interrupt('Delete PRODUCTION?')]
    return { messages: [{ role: 'assistant', content: answers.join(' and ') }] }
  })
  .addEdge(START, 'ask')
  .addEdge('ask', END)
  .compile()

const agents = {
  'ask-twice': askingTwice,
  chat: chatGraph((prompt) => ({ text: `answer number ${prompt.turn + 1}`, delayMs: 2 })),
  ask: asking,
}

// HttpAgent passes every stream through AG-UI's own verifyEvents: a stream that breaks its rules rejects the run.
test('an AG-UI client runs an agent, twice on one thread, and has the conversation', async () => {
  const { url } = await startService({ agents })
  const agent = new HttpAgent({ url: `${url}/agui/chat`, threadId: 't' })
  for (const [turn, content] of ['one', 'two'].entries()) {
    agent.addMessage({ id: `m${turn}`, role: 'user', content })
    await agent.runAgent()
  }
  expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'one'],
    ['assistant', 'answer number 1'],
    ['user', 'two'],
    ['assistant', 'answer number 2'],
  ])
})

test('another client connects to the thread with nothing but its id, while it runs and after', async () => {
  const { url, clewline } = await startService({ agents })
  await clewline.threads.create({ thread_id: 't' })
  const input = { messages: [{ id: 'm', role: 'user', content: 'one' }] }
  const { run } = await clewline.runs.create('t', { agent: 'chat', input })
  for (const moment of ['live', 'later']) {
    const agent = new ConnectableHttpAgent({ url: `${url}/agui/chat`, threadId: 't' })
    await agent.connectAgent()
    expect({ moment, said: agent.messages.map(({ content }) => content) }).toEqual({
      moment,
      said: ['one', 'answer number 1'],
    })
  }
  expect(await clewline.runs.get('t', run.run_id)).toMatchObject({ status: 'success' })
})

test('an interrupt ends the AG-UI run and the answer resumes it', async () => {
  const { url, clewline } = await startService({ agents })
  const agent = new HttpAgent({ url: `${url}/agui/ask`, threadId: 't' })
  agent.addMessage({ id: 'm', role: 'user', content: 'go' })
  await agent.runAgent()
  const { interrupts, status } = await clewline.threads.state('t')
  expect(status).toBe('interrupted')
  await agent.runAgent({
    resume: interrupts.map(({ id, question_id }) => ({
      interruptId: `${id}/${question_id}`,
      status: 'resolved' as const,
      payload: 'yes',
    })),
  })
  expect(agent.messages.at(-1)?.content).toBe('You said yes')
  // The client hears the run's last word, which may be logged a moment before the run is settled.
  await expect.poll(() => clewline.threads.get('t')).toMatchObject({ status: 'idle' })
})

test.each([
  ['whose id is taken by a run of another thread', { runId: 'taken' }, 409, 'conflict'],
  ['whose id is none', { runId: '../etc' }, 400, 'bad-request'],
  [
    'that answers what nobody asked',
    { runId: 'r', resume: [{ interruptId: 'i', status: 'resolved', payload: 1 }] },
    404,
    'not-found',
  ],
])('a run %s is refused and leaves no thread behind', async (_what, change, status, code) => {
  const { call, clewline } = await startService({ agents })
  await clewline.threads.create({ thread_id: 't' })
  await clewline.runs.create('t', { agent: 'chat', input: { messages: [] }, run_id: 'taken' })
  const message = { id: 'm', role: 'user', content: 'x' }
  const body = { threadId: 'new', messages: [message], tools: [], context: [], ...change }
  expect(await call('POST', '/agui/chat', body)).toMatchObject({ status, body: { error: { code } } })
  expect(await clewline.store.threads.get('new')).toBeNull()
})

test('capabilities are told', async () => {
  const { call } = await startService({ agents })
  expect((await call('GET', '/agui/chat/capabilities')).status).toBe(200)
})

test('an AG-UI client that answers a question twice answers only that one', async () => {
  const { call } = await startService({ agents })
  const run = (fields: object) => call('POST', '/agui/ask-twice', { threadId: 't', ...fields }, AS_LINES)
  const asked = async (fields: object): Promise<string> => {
    const events = String((await run(fields)).body['text'])
      .trim()
      .split('\n')
    return JSON.parse(events.at(-1) ?? '').outcome.interrupts[0].id
  }
  const staging = await asked({ messages: [{ id: 'm', role: 'user', content: 'go' }] })
  const answer = (interruptId: string) => ({ resume: [{ interruptId, status: 'resolved', payload: 'yes' }] })
  const production = await asked(answer(staging))
  expect(production).not.toBe(staging)
  expect(await run(answer(staging))).toMatchObject({
    status: 409,
    body: { error: { code: 'conflict', hint: expect.stringContaining(production) } },
  })
  expect((await call('GET', '/api/threads/t')).body).toMatchObject({ status: 'interrupted' })
  const { body } = await run(answer(production))
  expect(body['text']).toContain('yes and yes')
})

const AS_LINES = { accept: 'application/x-ndjson', 'x-ag-ui-version': '1.0' }
