import { expect, test } from 'vitest'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { startService } from '../testing/start-service.ts'

const agents = { chat: chatGraph([{ text: 'hello' }, { text: 'again' }]) }

/** All rows of a list, page by page, and how many pages that took. */
async function paged(
  call: Awaited<ReturnType<typeof startService>>['call'],
  path: string,
  key: string,
  cursor: string,
): Promise<{ rows: unknown[]; pages: number }> {
  const rows: unknown[] = []
  let next = ''
  for (let pages = 1; ; pages++) {
    const { body } = await call('GET', `${path}${next}`)
    const found = body[key]
    if (Array.isArray(found)) rows.push(...found)
    if (typeof body['next'] !== 'string') return { rows, pages }
    next = `&${cursor}=${body['next']}`
  }
}

test('large crons are listed page by page, each once', async () => {
  const { call } = await startService({ agents })
  const ids: unknown[] = []
  for (let i = 0; i < 4; i++) {
    const cron = { schedule: '0 0 1 1 *', agent: 'chat', input: userSays('x'.repeat(1_500_000)) }
    ids.push((await call('POST', '/api/crons', cron)).body['cron_id'])
  }
  const { rows, pages } = await paged(call, '/api/crons?', 'crons', 'after')
  expect(new Set(rows.map((row) => Object(row).cron_id))).toEqual(new Set(ids))
  expect([rows.length, pages]).toEqual([4, 2])
})

test('threads with large metadata are listed page by page, each once', async () => {
  const { call } = await startService({ agents })
  for (let i = 0; i < 4; i++) {
    await call('POST', '/api/threads', { thread_id: `t${i}`, metadata: { large: 'x'.repeat(1_500_000) } })
  }
  const { rows, pages } = await paged(call, '/api/threads?', 'threads', 'before')
  expect(new Set(rows.map((row) => Object(row).thread_id))).toEqual(new Set(['t0', 't1', 't2', 't3']))
  expect(rows).toHaveLength(4)
  expect(pages).toBe(2)
})

test('checkpoints are listed page by page, the newest first', async () => {
  const { call, clewline } = await startService({ agents })
  await call('POST', '/api/threads', { thread_id: 't' })
  const { run_id } = (await call('POST', '/api/threads/t/runs', { agent: 'chat', input: userSays('hi') }))
    .body
  await expect.poll(async () => (await clewline.runs.get('t', String(run_id))).status).toBe('success')
  const all = (await call('GET', '/api/threads/t/checkpoints')).body['checkpoints']
  const { rows, pages } = await paged(call, '/api/threads/t/checkpoints?limit=1', 'checkpoints', 'before')
  expect(rows).toEqual(all)
  expect(pages).toBe(rows.length)
  expect(rows.length).toBeGreaterThan(1)
})

test.each([
  ['', false],
  ['?inputs=true', true],
])('what changes in the service is told at /api/events%s with inputs: %s', async (query, hasInputs) => {
  const { call, url } = await startService({ agents })
  await call('POST', '/api/threads', { thread_id: 't' })
  const left = new AbortController()
  const response = await fetch(`${url}/api/events${query}`, { signal: left.signal })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  const later = { agent: 'chat', input: userSays('a secret'), after_seconds: 3_600 }
  await call('POST', '/api/threads/t/runs', later)
  await call('POST', '/api/crons', { schedule: '0 0 1 1 *', agent: 'chat', input: userSays('a secret') })
  let text = ''
  while (!/event: cron\ndata: .*\n\n/.test(text)) text += (await reader.read()).value ?? ''
  left.abort()
  expect(text).toContain('event: run\n')
  expect(text.split('"input":').length - 1).toBe(hasInputs ? 2 : 0)
})
