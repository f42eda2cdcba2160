import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { afterAll, expect, test } from 'vitest'

const store = mkdtempSync(join(tmpdir(), 'clewline-hono-'))
process.env['CLEWLINE_STORE'] = store
const { app, clewline } = await import('./app.ts')
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
afterAll(async () => {
  server.close()
  await clewline.close()
  rmSync(store, { recursive: true, force: true })
})

test('a run posted to the mounted agents is streamed back', async () => {
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const post = (path: string, body: object) =>
    fetch(`${url}/clewline${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect(await (await fetch(url)).text()).toContain('Your app')
  await post('/api/threads', { thread_id: 't' })
  await post('/api/threads/t/runs', {
    agent: 'hello',
    input: { messages: [{ role: 'user', content: 'hi' }] },
  })
  await expect
    .poll(async () => (await fetch(`${url}/clewline/api/threads/t/events?follow=false`)).text(), {
      timeout: 5_000,
    })
    .toContain('Hello from inside your app.')
})
