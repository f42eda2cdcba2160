import { expect, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

test('runs that wait are found on all threads of whoever asks, what is due first', async () => {
  const { call } = await startService({
    agents: { chat: chatGraph() },
    authenticate: (request) => ({ id: request.headers.get('x-user') ?? 'nobody' }),
  })
  for (const [user, thread_id, after_seconds] of [
    ['ann', 'late', 3_600],
    ['ann', 'early', 60],
    ['bob', 'secret', 1],
  ] as const) {
    const headers = { 'x-user': user }
    await call('POST', '/api/threads', { thread_id }, headers)
    const body = { agent: 'chat', input: userSays('hi'), after_seconds }
    expect((await call('POST', `/api/threads/${thread_id}/runs`, body, headers)).status).toBe(202)
  }
  const ann = await call('GET', '/api/runs?status=pending', undefined, { 'x-user': 'ann' })
  expect(ann.body['runs']).toMatchObject([{ thread_id: 'early' }, { thread_id: 'late' }])
  const running = await call('GET', '/api/runs?status=running', undefined, { 'x-user': 'ann' })
  expect(running).toMatchObject({ status: 200, body: { runs: [] } })
  expect((await call('GET', '/api/runs?status=odd', undefined, { 'x-user': 'ann' })).status).toBe(400)
})

test('a thread is stopped as a whole: what runs, what waits for its turn and, if asked, what is to start later', async () => {
  const { call } = await startService({
    agents: { slow: chatGraph([{ text: Array.from({ length: 500 }, (_, i) => `w${i} `), delayMs: 10 }]) },
    authenticate: (request) => ({ id: request.headers.get('x-user') ?? 'ann' }),
  })
  await call('POST', '/api/threads', { thread_id: 't' })
  for (const [run_id, after_seconds] of [
    ['runs', 0],
    ['waits', 0],
    ['later', 3_600],
  ] as const) {
    const body = { agent: 'slow', input: userSays('hi'), run_id, after_seconds }
    expect((await call('POST', '/api/threads/t/runs', body)).status).toBe(202)
  }
  const statusOf = async (run_id: string): Promise<unknown> =>
    (await call('GET', `/api/threads/t/runs/${run_id}`)).body['status']
  await expect.poll(() => statusOf('runs')).toBe('running')

  expect((await call('POST', '/api/threads/t/cancel', undefined, { 'x-user': 'bob' })).status).toBe(404)
  expect((await call('POST', '/api/threads/t/cancel')).body['runs']).toMatchObject([
    { run_id: 'runs', status: 'cancelled', attempt: 1 },
    { run_id: 'waits', status: 'cancelled', attempt: 0 },
  ])
  expect(await statusOf('later')).toBe('pending')
  expect((await call('POST', '/api/threads/t/cancel')).body).toEqual({ runs: [] })
  expect((await call('GET', '/api/threads/t')).body).toMatchObject({ status: 'idle' })

  expect((await call('POST', '/api/threads/t/cancel?scheduled=true')).body['runs']).toMatchObject([
    { run_id: 'later', status: 'cancelled' },
  ])
})
