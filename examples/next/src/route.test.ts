import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const store = mkdtempSync(join(tmpdir(), 'clewline-next-'))
process.env['CLEWLINE_STORE'] = store
const { GET, POST } = await import('./app/clewline/[[...path]]/route.ts')
const { clewline } = await import('./clewline.ts')
afterAll(async () => {
  await (await clewline).close()
  rmSync(store, { recursive: true, force: true })
})

const url = 'http://127.0.0.1:3000/clewline/api/threads'
const post = (path: string, body: object) =>
  POST(
    new Request(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )

test('the route, called as Next calls it, runs an agent and streams what it does', async () => {
  expect((await post('', { thread_id: 't' })).status).toBe(201)
  const input = { messages: [{ role: 'user', content: 'hi' }] }
  expect((await post('/t/runs', { agent: 'hello', input })).status).toBe(202)
  const response = await GET(new Request(`${url}/t/events`))
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('"type":"tool_end"')) break
  }
  expect(text).toContain('Hello from inside your app.')
})
