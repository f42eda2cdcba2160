import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ClewlineError } from '@clewline/core'
import { expect, test } from 'vitest'
import { failureText } from '../runtime/failure-text.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

const failing = new StateGraph(MessagesAnnotation)
  .addNode('fail', () => {
    throw new RangeError('out of luck')
  })
  .addEdge(START, 'fail')
  .addEdge('fail', END)
  .compile()
const agents = { chat: chatGraph([{ text: 'hello' }]), failing }

test.each([
  [false, false],
  [true, true],
])('with debug %s, stack traces are in the log: %s, and the operator has them', async (debug, expected) => {
  const failures: string[] = []
  const { call } = await startService({ agents, debug, onFailure: (failure) => failures.push(failure) })
  await call('POST', '/api/threads', { thread_id: 't' })
  await call('POST', '/api/threads/t/runs', { agent: 'failing', input: userSays('hi') })
  await expect.poll(async () => (await call('GET', '/api/threads/t')).body['status']).toBe('error')
  const log = String((await call('GET', '/api/threads/t/export')).body['text'])
  expect(log).toContain('out of luck')
  expect(log).toContain('RangeError')
  expect(log.includes('exposure.test.ts')).toBe(expected)
  expect(failures).toEqual([
    expect.stringMatching(/^run .* of thread t: RangeError: out of luck\n.*exposure\.test\.ts/s),
  ])
})

test.each([
  '/api/threads',
  '/api/agents',
  '/api/threads/nobody',
  '/agui/chat/capabilities',
  '/info',
  '/ok',
  '/metrics',
])('what is at %s is kept by no cache and taken for no other type', async (path) => {
  const { headers } = await (await startService({ agents })).call('GET', path)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('a stream has these headers, too', async () => {
  const { call } = await startService({ agents })
  await call('POST', '/api/threads', { thread_id: 't' })
  const { headers } = await call('GET', '/api/threads/t/events?follow=false')
  expect(headers.get('cache-control')).toMatch(/no-store|no-cache/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test.each([
  ['cross-site', 403],
  ['same-site', 403],
  ['same-origin', 201],
  ['none', 201],
])('a request that acts, without an origin and from %s, is answered with %i', async (site, status) => {
  const { clewline } = await startService({ agents })
  const request = new Request('http://localhost/api/threads', {
    method: 'POST',
    headers: { 'sec-fetch-site': site, 'content-type': 'application/json' },
    body: '{}',
  })
  expect((await clewline.fetch(request)).status).toBe(status)
})

test.each<[string, unknown, number, string]>([
  ['an error', new Error('the directory is down'), 503, 'unavailable'],
  ['a text', 'no', 503, 'unavailable'],
  ['a refusal of its own', new ClewlineError('forbidden', 'Not you.', { hint: 'Go.' }), 403, 'forbidden'],
])('an authenticate that throws %s', async (_what, thrown, status, code) => {
  const failures: string[] = []
  const { call } = await startService({
    agents,
    authenticate: () => {
      throw thrown
    },
    onFailure: (failure) => failures.push(failure),
  })
  const reply = await call('GET', '/api/threads')
  const isLogged = status >= 500
  expect(failures).toHaveLength(isLogged ? 1 : 0)
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  if (isLogged) expect(failures[0]).toMatch(new RegExp(`^GET /api/threads: .*${why}`, 's'))
  expect(reply).toMatchObject({ status, body: { error: { code } } })
  expect(JSON.stringify(reply.body)).not.toContain('the directory')
})

const keepsError = new StateGraph(
  Annotation.Root({
    problem: Annotation<unknown>({ reducer: (_old, problem) => problem, default: () => null }),
  }),
)
  .addNode('keep', () => ({ problem: { error: new RangeError('out of luck') } }))
  .addEdge(START, 'keep')
  .addEdge('keep', END)
  .compile()

test('an error in a state or a log has its name and message, and no path of the server', async () => {
  const { call } = await startService({ agents: { keepsError } })
  await call('POST', '/api/threads', { thread_id: 't' })
  await call('POST', '/api/threads/t/runs', { agent: 'keepsError', input: {} })
  await expect.poll(async () => (await call('GET', '/api/threads/t')).body['status']).toBe('idle')
  for (const path of ['/api/threads/t/state', '/api/threads/t/export']) {
    const text = JSON.stringify((await call('GET', path)).body)
    expect(text).toContain('out of luck')
    expect(text).not.toMatch(/exposure\.test\.ts|"stack|file:/)
  }
})

test('a failure that spans lines is one entry, whatever a message says', () => {
  expect(failureText('run r', 'Error: a\nclewline: GET /: all is well\r\nb')).toBe(
    'run r: Error: a\n    clewline: GET /: all is well\n    b',
  )
})
