import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from '@langchain/langgraph'
import { fromGraph } from '@clewline/langgraph'
import { expect, test } from 'vitest'
import type { ClewlineOptions } from '../create-clewline.ts'
import { startService, type Service } from '../testing/start-service.ts'

const State = Annotation.Root({ seen: Annotation<unknown>, who: Annotation<unknown> })
const SEEN = ['tenant', 'role', 'locale', 'thread_id', 'extra']
const WHO = ['langgraph_auth_user', 'langgraph_auth_user_id', 'langgraph_auth_permissions']
const pick = (config: LangGraphRunnableConfig, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, config.configurable?.[key] ?? null]))
const graph = new StateGraph(State)
  .addNode('look', (_state, config) => ({
    seen: { ...pick(config, SEEN), context: config.context },
    who: pick(config, WHO),
  }))
  .addEdge(START, 'look')
  .addEdge('look', END)
  .compile()
const agents = {
  look: fromGraph(graph, { name: 'look', config: { configurable: { tenant: 'acme', role: 'reader' } } }),
}
const authenticate: ClewlineOptions['authenticate'] = (request) => {
  const id = request.headers.get('x-user')
  return id === null ? null : { id, permissions: ['read'], display_name: 'Ann' }
}
const ann = { 'x-user': 'ann' }
const user = { identity: 'ann', permissions: ['read'], display_name: 'Ann', is_authenticated: true }
const authenticated = {
  langgraph_auth_user: user,
  langgraph_auth_user_id: 'ann',
  langgraph_auth_permissions: ['read'],
}

async function valuesOf({ call }: Service, thread: string): Promise<unknown> {
  const state = async () => (await call('GET', `/api/threads/${thread}/state`, undefined, ann)).body
  await expect.poll(async () => (await state())['values'], { timeout: 5_000 }).toHaveProperty('seen')
  return (await state())['values']
}

test('what the server has set for an agent is not changed by a client, and the rest of what it sends arrives', async () => {
  const service = await startService({ agents, authenticate })
  await service.call('POST', '/api/threads', { thread_id: 't' }, ann)
  const configurable = { tenant: 'evil', role: 'admin', locale: 'de', thread_id: 'other' }
  const body = { agent: 'look', input: {}, config: { configurable } }
  expect(await service.call('POST', '/api/threads/t/runs', body, ann)).toMatchObject({ status: 202 })
  expect(await valuesOf(service, 't')).toMatchObject({
    seen: { tenant: 'acme', role: 'reader', locale: 'de', thread_id: 't' },
    who: authenticated,
  })
})

test.each([
  ...WHO,
  'langgraph_auth_x',
  'clewline_frontend_tools',
  '__pregel_store',
  '__deepagents_seat',
  'writer',
])('a client that sets %s is refused', async (key) => {
  const { call } = await startService({ agents, authenticate, forwardedProps: [key] })
  await call('POST', '/api/threads', { thread_id: 't' }, ann)
  const config = { configurable: { [key]: { identity: 'root' } } }
  expect(await call('POST', '/api/threads/t/runs', { agent: 'look', input: {}, config }, ann)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining(key) } },
  })
  const forwardedProps = { [key]: { identity: 'root' } }
  expect(
    await call('POST', '/agui/look', { threadId: 't', runId: 'r', messages: [], forwardedProps }, ann),
  ).toMatchObject({ status: 400 })
})

test('only the keys that the server declares may be set, if it declares any', async () => {
  const { call } = await startService({ agents, configurable: ['locale'] })
  await call('POST', '/api/threads', { thread_id: 't' })
  const run = (configurable: object) =>
    call('POST', '/api/threads/t/runs', { agent: 'look', input: {}, config: { configurable } })
  expect(await run({ locale: 'de' })).toMatchObject({ status: 202 })
  expect(await run({ locale: 'de', extra: 1 })).toMatchObject({
    status: 400,
    body: { error: { hint: expect.stringContaining('locale') } },
  })
})

test('AG-UI hands on the user, and cannot change what the server has set', async () => {
  const service = await startService({ agents, authenticate, forwardedProps: ['tenant', 'extra'] })
  const forwardedProps = { tenant: 'evil', extra: 1 }
  const input = { threadId: 't', runId: 'r', messages: [], forwardedProps }
  expect(await service.call('POST', '/agui/look', input, ann)).toMatchObject({ status: 200 })
  expect(await valuesOf(service, 't')).toMatchObject({
    seen: { tenant: 'acme', extra: 1 },
    who: authenticated,
  })
})

test('a run that a cron starts has the identity of the owner, and no permissions', async () => {
  const service = await startService({ agents, authenticate })
  const { clewline, call } = service
  await call('POST', '/api/threads', { thread_id: 't' }, ann)
  // As the cron's tick does, which no request stands behind.
  await clewline.runs.create('t', { agent: 'look', input: {} }, 'ann')
  expect(await valuesOf(service, 't')).toMatchObject({
    who: { langgraph_auth_user_id: 'ann', langgraph_auth_permissions: [] },
  })
})

test('without authentication a graph sees no user', async () => {
  const service = await startService({ agents })
  await service.call('POST', '/api/threads', { thread_id: 't' })
  await service.call('POST', '/api/threads/t/runs', { agent: 'look', input: {} })
  expect(await valuesOf(service, 't')).toMatchObject({ who: { langgraph_auth_user: null } })
})
