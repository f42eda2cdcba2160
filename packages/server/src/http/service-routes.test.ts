import { expect, onTestFinished, test } from 'vitest'
import { createClewline, type Clewline } from '../create-clewline.ts'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import { chatGraph } from '../testing/chat-graph.ts'

async function statusAndBody(clewline: Clewline, path: string): Promise<readonly [number, unknown]> {
  const response = await clewline.fetch(new Request(`http://localhost${path}`))
  return [response.status, await response.json()]
}

test('a process is ready, to anyone who asks, until it is closed', async () => {
  const clewline = await createClewline({ agents: { chat: chatGraph() }, store: ':memory:', token: 'secret' })
  expect(await statusAndBody(clewline, '/ready')).toEqual([200, { ready: true, reasons: [] }])
  const closing = clewline.close()
  const [status, body] = await statusAndBody(clewline, '/ready')
  expect([status, body]).toMatchObject([503, { ready: false, reasons: expect.arrayContaining(['closing']) }])
  await closing
})

test('a process whose store does not answer is live, but not ready, and its clients are to try again', async () => {
  const store = sqliteStore(':memory:')
  let isDown = false
  const down = Object.assign(new Error('secret details'), { code: 'ETIMEDOUT' })
  const clewline = await createClewline({
    agents: { chat: chatGraph() },
    store: {
      ...store,
      now: () => (isDown ? new Promise(() => {}) : store.now()),
      isUnavailable: (error) => error === down,
      threads: {
        ...store.threads,
        list: (filter) => (isDown ? Promise.reject(down) : store.threads.list(filter)),
      },
    },
  })
  onTestFinished(() => clewline.close())
  expect((await statusAndBody(clewline, '/ready'))[0]).toBe(200)
  isDown = true
  expect(await statusAndBody(clewline, '/ok')).toEqual([200, { ok: true }])
  expect(await statusAndBody(clewline, '/ready')).toEqual([503, { ready: false, reasons: ['store'] }])
  const [status, body] = await statusAndBody(clewline, '/api/threads')
  expect([status, body]).toMatchObject([503, { error: { code: 'unavailable' } }])
  expect(JSON.stringify(body)).not.toContain('secret')
  isDown = false
  expect((await statusAndBody(clewline, '/ready'))[0]).toBe(200)
})
