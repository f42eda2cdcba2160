import { get } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline } from '../create-clewline.ts'
import { isLoopback, serve } from '../serve.ts'
import { chatGraph } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'
import type { Authenticate } from './authentication.ts'

const agents = { chat: chatGraph([{ text: 'hello' }]) }

test.each(['0.0.0.0', '::', '192.168.1.7', 'example.org'])(
  'listening on %s without auth is refused',
  async (host) => {
    const clewline = await createClewline({ agents, store: ':memory:' })
    await expect(serve(clewline, { port: 0, host })).rejects.toMatchObject({ code: 'bad-config' })
    await clewline.close()
  },
)

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['localhost', true],
  ['127.0.0.1.evil.example', false],
  ['0.0.0.0', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

test.each([
  ['no header', {}, 401],
  ['another scheme', { authorization: 'Basic secret' }, 401],
  ['a wrong token', { authorization: 'Bearer secreT' }, 401],
  ['a prefix of the token', { authorization: 'Bearer secre' }, 401],
  ['the token', { authorization: 'Bearer secret' }, 200],
])('with a token set, %s gives its due', async (_what, headers, status) => {
  const { call } = await startService({ agents, token: 'secret' })
  for (const path of ['/api/threads', '/api/agents', '/api/crons', '/metrics', '/agui/chat/capabilities']) {
    expect({ path, status: (await call('GET', path, undefined, headers)).status }).toEqual({ path, status })
  }
  expect((await call('GET', '/ok')).status).toBe(200)
})

test.each([{}, { id: undefined }, { id: '' }, { id: 7 }])(
  'a user without an id (%j) is let in nowhere',
  async (user) => {
    const authenticate: Authenticate = () => JSON.parse(JSON.stringify(user))
    const { call, clewline } = await startService({ agents, authenticate })
    await clewline.threads.create({ thread_id: 't' }, 'ann')
    const reply = await call('GET', '/api/threads/t')
    expect(reply).toMatchObject({ status: 500, body: { error: { code: 'bad-config' } } })
  },
)

test('a thread and its crons are there for their owner only', async () => {
  const { call } = await startService({
    agents,
    authenticate(request) {
      const id = request.headers.get('x-user')
      return id === null ? null : { id }
    },
  })
  const ann = { 'x-user': 'ann' }
  const bob = { 'x-user': 'bob' }
  expect((await call('GET', '/api/threads')).status).toBe(401)
  expect((await call('POST', '/api/threads', { thread_id: 't' }, ann)).body).toMatchObject({ owner: 'ann' })
  expect((await call('POST', '/api/threads', { thread_id: 't' }, bob)).status).toBe(404)
  for (const [method, path, body] of [
    ['GET', '/api/threads/t', undefined],
    ['PATCH', '/api/threads/t', { title: 'mine' }],
    ['DELETE', '/api/threads/t', undefined],
    ['GET', '/api/threads/t/state', undefined],
    ['GET', '/api/threads/t/events?follow=false', undefined],
    ['GET', '/api/threads/t/export', undefined],
    ['GET', '/api/threads/t/runs', undefined],
    ['GET', '/api/threads/t/checkpoints', undefined],
    ['POST', '/api/threads/t/runs', { agent: 'chat', input: {} }],
    ['POST', '/api/threads/t/fork', {}],
    ['POST', '/api/crons', { schedule: '* * * * *', agent: 'chat', input: {}, thread: 't' }],
  ] as const) {
    expect({ path, status: (await call(method, path, body, bob)).status }).toEqual({ path, status: 404 })
  }
  expect((await call('GET', '/api/threads', undefined, bob)).body).toMatchObject({ threads: [] })
  expect((await call('GET', '/api/threads/t', undefined, ann)).status).toBe(200)
})

test('other origins get no CORS headers unless they are allowed', async () => {
  const closed = await startService({ agents })
  const open = await startService({ agents, allowedOrigins: ['https://app.example'] })
  const from = (origin: string) => ({ origin })
  const allowed = async (service: typeof open, origin: string): Promise<string | null> =>
    (await service.call('GET', '/ok', undefined, from(origin))).headers.get('access-control-allow-origin')
  expect(await allowed(closed, 'https://app.example')).toBeNull()
  expect(await allowed(open, 'https://app.example')).toBe('https://app.example')
  expect(await allowed(open, 'https://evil.example')).not.toBe('https://evil.example')
})

test.each([
  ['envelopes', 'GET', '/api/threads/t/events?follow=false', undefined],
  ['an export', 'GET', '/api/threads/t/export', undefined],
  ['AG-UI', 'POST', '/agui/chat', { threadId: 't' }],
])('a stream of %s has the CORS headers of an allowed origin', async (_name, method, path, body) => {
  const origin = 'https://app.example'
  const { call, clewline } = await startService({ agents, allowedOrigins: [origin] })
  await clewline.threads.create({ thread_id: 't' })
  const { status, headers } = await call(method, path, body, { origin })
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin])
})

test.each([
  ['a program', {}, 201],
  ['a page of the server itself', { origin: 'HOST' }, 201],
  ['a page of the server itself, in a new browser', { origin: 'HOST', 'sec-fetch-site': 'same-origin' }, 201],
  [
    'a page behind a proxy that changes Host',
    { origin: 'https://my.example', 'sec-fetch-site': 'same-origin' },
    201,
  ],
  ['a page that is allowed', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, 201],
  ['a page of another origin', { origin: 'https://evil.example' }, 403],
  [
    'a page of another origin, in a new browser',
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    403,
  ],
  ['a page without an origin', { origin: 'null' }, 403],
])('%s that wants to act gets its due', async (_who, headers, status) => {
  const { call, url } = await startService({ agents, allowedOrigins: ['https://app.example'] })
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('HOST', url)]),
  )
  expect((await call('POST', '/api/threads', {}, sent)).status).toBe(status)
})

test.each([
  [{ port: 70_000 }, 'bad-config', '70000 is not a port.'],
  [{ port: 1.5 }, 'bad-config', '1.5 is not a port.'],
  [{ port: 0, host: '192.0.2.1' }, 'unavailable', 'Cannot listen on 192.0.2.1, port 0'],
])('%j cannot be listened on, which is said in a sentence', async (where, code, message) => {
  const clewline = await createClewline({ agents, store: ':memory:', token: 'secret' })
  onTestFinished(() => clewline.close())
  await expect(serve(clewline, where)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  })
})

test('a name that was made to point at this machine is refused', async () => {
  const { url } = await startService({ agents })
  const { port } = new URL(url)
  const status = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get({ port, host: '127.0.0.1', path: '/ok', headers: { host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).on('error', reject)
    })
  expect(await status(`localhost:${port}`)).toBe(200)
  expect(await status('LOCALHOST')).toBe(200)
  expect(await status('[::1]')).toBe(200)
  expect(await status(`evil.example:${port}`)).toBe(403)
})
