import { expect, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

const agents = { chat: chatGraph([{ text: 'hello' }]) }
const later = (content: string) => ({ agent: 'chat', input: userSays(content), after_seconds: 3_600 })

test('runs are listed without their inputs, unless these are asked for', async () => {
  const { call } = await startService({ agents })
  await call('POST', '/api/threads', { thread_id: 't' })
  const { run_id } = (await call('POST', '/api/threads/t/runs', later('hi'))).body
  for (const path of ['/api/threads/t/runs?', '/api/runs?status=pending&']) {
    expect((await call('GET', path)).body).toMatchObject({ runs: [{ run_id, kind: 'input' }] })
    expect(JSON.stringify((await call('GET', path)).body)).not.toContain('messages')
    expect((await call('GET', `${path}inputs=true`)).body).toMatchObject({
      runs: [{ run_id, kind: 'input', input: userSays('hi') }],
    })
  }
  expect((await call('GET', `/api/threads/t/runs/${String(run_id)}`)).body).toMatchObject({
    input: userSays('hi'),
  })
})

test('a list of large runs is small, and holds as many inputs as fit', async () => {
  const { call } = await startService({ agents })
  await call('POST', '/api/threads', { thread_id: 't' })
  for (let i = 0; i < 5; i++) await call('POST', '/api/threads/t/runs', later('x'.repeat(1_500_000)))
  const sizeOf = async (path: string): Promise<number> =>
    JSON.stringify((await call('GET', path)).body).length
  expect(await sizeOf('/api/threads/t/runs')).toBeLessThan(5_000)
  const { runs } = (await call('GET', '/api/threads/t/runs?inputs=true')).body
  expect(Array.isArray(runs) && runs.map((run) => 'input' in run)).toEqual([true, true, false, false, false])
})
