import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

const agents = { chat: chatGraph([{ text: 'hello' }]) }
const run = (change: object) => ({ agent: 'chat', input: userSays('hi'), ...change })
const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`

test.each([
  ['malformed JSON', 'POST', '/api/threads', '{"thread_id": ', 400, 'bad-request'],
  [
    'a body that is not JSON by its type',
    'POST',
    '/api/threads',
    { __type: 'text/plain' },
    400,
    'bad-request',
  ],
  ['a body of the wrong type', 'POST', '/api/threads', [], 400, 'bad-request'],
  ['a field of the wrong type', 'POST', '/api/threads', { title: 7 }, 400, 'bad-request'],
  ['a thread id with a slash', 'POST', '/api/threads', { thread_id: '../etc' }, 400, 'bad-request'],
  [
    'a thread id that is too long',
    'POST',
    '/api/threads',
    { thread_id: 'x'.repeat(200) },
    400,
    'bad-request',
  ],
  ['a body that is nested too deep', 'POST', '/api/threads', deep, 400, 'bad-request'],
  ['a body that is too large', 'POST', '/api/threads', { title: 'x'.repeat(5_000_000) }, 413, 'too-large'],
  ['a body of too many values', 'POST', '/api/threads', `[${'1,'.repeat(1_900_000)}1]`, 413, 'too-large'],
  ['an unknown thread', 'GET', '/api/threads/nobody', undefined, 404, 'not-found'],
  ['the events of an unknown thread', 'GET', '/api/threads/nobody/events', undefined, 404, 'not-found'],
  ['the export of an unknown thread', 'GET', '/api/threads/nobody/export', undefined, 404, 'not-found'],
  ['a run on an unknown thread', 'POST', '/api/threads/nobody/runs', run({}), 404, 'not-found'],
  ['an unknown agent', 'POST', '/api/threads/t/runs', run({ agent: 'nobody' }), 404, 'unknown-agent'],
  ['an unknown run', 'GET', '/api/threads/t/runs/nobody', undefined, 404, 'not-found'],
  ['cancelling an unknown run', 'POST', '/api/threads/t/runs/nobody/cancel', undefined, 404, 'not-found'],
  ['neither input nor resume', 'POST', '/api/threads/t/runs', { agent: 'chat' }, 400, 'bad-request'],
  ['both input and resume', 'POST', '/api/threads/t/runs', run({ resume: { value: 1 } }), 400, 'bad-request'],
  [
    'an answer that nobody waits for',
    'POST',
    '/api/threads/t/runs',
    { agent: 'chat', resume: { value: 1 } },
    409,
    'conflict',
  ],
  ['a negative delay', 'POST', '/api/threads/t/runs', run({ after_seconds: -1 }), 400, 'bad-request'],
  ['an unknown on_busy', 'POST', '/api/threads/t/runs', run({ on_busy: 'explode' }), 400, 'bad-request'],
  [
    'a schedule that is none',
    'POST',
    '/api/crons',
    { schedule: 'soon', agent: 'chat', input: 1 },
    400,
    'bad-request',
  ],
  [
    'a schedule with six fields',
    'POST',
    '/api/crons',
    { schedule: '* * * * * *', agent: 'chat', input: 1 },
    400,
    'bad-request',
  ],
  [
    'a schedule that never ticks',
    'POST',
    '/api/crons',
    { schedule: '0 0 30 2 *', agent: 'chat', input: 1 },
    400,
    'bad-request',
  ],
  [
    'an unknown time zone',
    'POST',
    '/api/crons',
    { schedule: '* * * * *', timezone: 'Mars/Base', agent: 'chat', input: 1 },
    400,
    'bad-request',
  ],
  [
    'a cron for an unknown thread',
    'POST',
    '/api/crons',
    { schedule: '* * * * *', thread: 'nobody', agent: 'chat', input: 1 },
    404,
    'not-found',
  ],
  ['deleting an unknown cron', 'DELETE', '/api/crons/nobody', undefined, 404, 'not-found'],
  ['a position that is not a number', 'GET', '/api/threads/t/events?after=x', undefined, 400, 'bad-request'],
  ['an unknown profile', 'GET', '/api/threads/t/events?profile=all', undefined, 400, 'bad-request'],
  ['a cursor that is none', 'GET', '/api/threads?before=zzz', undefined, 400, 'bad-request'],
  ['an import that is no log', 'POST', '/api/threads/import', '{"type":"nonsense"}', 400, 'bad-file'],
  ['forking a thread without states', 'POST', '/api/threads/t/fork', {}, 422, 'unsupported'],
  [
    'writing the state of a thread without one',
    'PATCH',
    '/api/threads/t/state',
    { values: {} },
    422,
    'unsupported',
  ],
  ['a route that is not there', 'GET', '/api/nothing', undefined, 404, 'not-found'],
  ['a method that a route does not know', 'PUT', '/api/threads/t', {}, 405, 'unsupported'],
  ['a deep AG-UI body', 'POST', '/agui/chat', `{"threadId":"u","state":${deep}}`, 400, 'bad-request'],
  ['a position in another base', 'GET', '/api/threads/t/events?after=0x10', undefined, 400, 'bad-request'],
  [
    'a schedule that is a date',
    'POST',
    '/api/crons',
    { schedule: '2030-01-01T00:00:00', agent: 'chat', input: 1 },
    400,
    'bad-request',
  ],
  [
    'an empty time zone',
    'POST',
    '/api/crons',
    { schedule: '* * * * *', timezone: '', agent: 'chat', input: 1 },
    400,
    'bad-request',
  ],
  [
    'a run from a checkpoint that the thread does not have',
    'POST',
    '/api/threads/t/runs',
    run({ config: { checkpoint_id: 'nowhere' } }),
    404,
    'not-found',
  ],
  [
    'a checkpoint where LangGraph would take it for its own',
    'POST',
    '/api/threads/t/runs',
    run({ config: { configurable: { checkpoint_id: 'nowhere' } } }),
    400,
    'bad-request',
  ],
  [
    'an AG-UI run on a thread with a wild id',
    'POST',
    '/agui/chat',
    {
      threadId: '../etc',
      runId: 'r',
      messages: [{ id: 'm', role: 'user', content: 'x' }],
      tools: [],
      context: [],
    },
    400,
    'bad-request',
  ],
  [
    'an AG-UI run of an unknown agent',
    'POST',
    '/agui/nobody',
    { threadId: 't', runId: 'r', messages: [], tools: [], context: [] },
    404,
    'unknown-agent',
  ],
])(
  '%s is refused with a code and a hint, and nothing is written',
  async (_what, method, path, body, status, code) => {
    const { call, clewline } = await startService({ agents })
    await clewline.threads.create({ thread_id: 't' })
    const type = typeof body === 'object' && body !== null && '__type' in body ? body.__type : undefined
    const reply = await call(method, path, body, type === undefined ? {} : { 'content-type': type })
    expect(reply).toMatchObject({
      status,
      body: { error: { code, message: expect.any(String), hint: expect.any(String) } },
    })
    expect(await clewline.store.threads.list({ limit: 10 })).toHaveLength(1)
    expect(await clewline.store.runs.list('t', 10)).toEqual([])
    expect(await clewline.store.crons.list()).toEqual([])
    expect(await clewline.log.last('t')).toBe(0)
    expect((await call('GET', '/ok')).status).toBe(200)
  },
)

test.each(['x', '-1', '1.5', '1e3', '0x10', '9007199254740993', 'NaN'])(
  'Last-Event-ID %j is refused',
  async (value) => {
    const { call, clewline } = await startService({ agents })
    await clewline.threads.create({ thread_id: 't' })
    const reply = await call('GET', '/api/threads/t/events', undefined, { 'last-event-id': value })
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'bad-request' } } })
  },
)

test.each([
  ['an impossible host', 'GET /ok HTTP/1.1\r\nHost: localhost:99999999', 400],
  ['a backslash in the path', 'GET /assets/..\\..\\package.json HTTP/1.1\r\nHost: localhost', 400],
  ['what is no HTTP', '\u0016\u0003\u0001', 400],
  ['a length below zero', 'POST /api/threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5', 400],
  ['a header without end', `GET /ok HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}`, 431],
])('%s is refused with a code and a hint', async (_what, head, status) => {
  const { url, call } = await startService({ agents })
  const answer = await rawCall(url, `${head}\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"code":"[a-z-]+"[^]*"hint":`))
  expect((await call('GET', '/ok')).status).toBe(200)
})

test.each(['/api/threads/t/events', '/api/events', '/api/threads/t/export'])(
  'HEAD %s answers and does not stay',
  async (path) => {
    const { url, clewline } = await startService({ agents })
    await clewline.threads.create({ thread_id: 't' })
    const reply = await fetch(`${url}${path}`, { method: 'HEAD', signal: AbortSignal.timeout(20_000) })
    expect([reply.status, await reply.text()]).toEqual([200, ''])
    expect(clewline.log.readers()).toBe(0)
  },
)

/** What a client without manners sends, and all that comes back. */
async function rawCall(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(request)
  return text(socket)
}

test('a path that is there for other methods says which', async () => {
  const { call } = await startService({ agents })
  const reply = await call('PUT', '/api/threads')
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST, GET'])
})

test('a body with a byte order mark is read, and a title is kept whole but for what no store can keep', async () => {
  const { call } = await startService({ agents })
  const reply = await call('POST', '/api/threads', '\uFEFF{"thread_id":"t","title":"a\\u0000b"}')
  expect(reply).toMatchObject({ status: 201, body: { title: 'ab' } })
  const renamed = await call('PATCH', '/api/threads/t', { title: 'c\0d' })
  expect(renamed).toMatchObject({ status: 200, body: { title: 'cd' } })
})

test.each([
  ['SQLITE_FULL', 'database or disk is full', 'The store cannot be written: database or disk is full.'],
  ['SQLITE_IOERR_WRITE', 'disk I/O error', 'The store cannot be written: disk I/O error.'],
  ['SQLITE_CORRUPT', 'malformed', 'The store is damaged: malformed.'],
])('a store that fails with %s is said to do so', async (code, why, message) => {
  const failure = Object.assign(new Error(why), { code })
  const source = {
    name: 'a',
    describe: () => Promise.reject(failure),
    run: async () => ({ status: 'success' as const }),
  }
  const { call } = await startService({ agents: { source } })
  expect(await call('GET', '/api/agents')).toMatchObject({
    status: 503,
    body: { error: { code: 'unavailable', message } },
  })
})

test('an error of the server itself shows no stack unless asked to', async () => {
  const broken = {
    name: 'broken',
    describe: () => Promise.reject(new Error('secret path')),
    run: async () => ({ status: 'success' as const }),
  }
  for (const debug of [false, true]) {
    const { call } = await startService({ agents: { broken }, debug })
    const reply = await call('GET', '/api/agents')
    expect(reply.status).toBe(500)
    expect(JSON.stringify(reply.body).includes('secret path')).toBe(debug)
  }
})
