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
