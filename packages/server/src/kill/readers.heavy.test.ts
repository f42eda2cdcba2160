import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ServerProcess, startServer } from './server-process.ts'

const READERS = 1_000
const TOKENS = 10_000
const isLinux = process.platform === 'linux'

let store: string
let server: ServerProcess
beforeAll(async () => {
  store = mkdtempSync(join(tmpdir(), 'clewline-readers-'))
  server = await startServer(store, Date.now())
})
afterAll(async () => {
  await server.kill()
  rmSync(store, { recursive: true, force: true })
})

const post = (path: string, body: object) =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Resident memory of the server in bytes. */
const memory = (): number =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? Number.NaN)

/** Counts tokens until the root call has ended; says when it is connected. */
function reader(path: string): { connected: Promise<void>; tokens: Promise<number> } {
  let isConnected = (): void => {}
  const connected = new Promise<void>((resolve) => (isConnected = resolve))
  const tokens = new Promise<number>((resolve, reject) => {
    get(`${server.url}${path}`, { agent: false }, (response) => {
      isConnected()
      let found = 0
      let rest = ''
      response.setEncoding('latin1')
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) {
          if (line.startsWith('data: {"type":"llm_token"')) found += 1
          else if (line.startsWith('data: {"type":"tool_end"') && line.includes('"parent_id":null')) {
            response.destroy()
            resolve(found)
          }
        }
      })
      response.on('error', reject)
    }).on('error', reject)
  })
  // The idle ones are cut when the server is killed at the end.
  tokens.catch(() => {})
  return { connected, tokens }
}

test.skipIf(!isLinux)(
  `an idle reader costs less than 30 kB${isLinux ? '' : ': SKIPPED, needs /proc'}`,
  async () => {
    await post('/api/threads', { thread_id: 'idle' })
    // Some first, so that what the first connections allocate once is not counted.
    await Promise.all(Array.from({ length: 100 }, () => reader('/api/threads/idle/events').connected))
    const before = memory()
    for (let i = 0; i < READERS; i += 100) {
      await Promise.all(Array.from({ length: 100 }, () => reader('/api/threads/idle/events').connected))
    }
    const each = (memory() - before) / READERS
    process.stdout.write(`idle reader: ${Math.round(each)} bytes\n`)
    expect(each).toBeLessThan(30_000)
  },
)

test(`${READERS} readers of one run of ${TOKENS} tokens all receive all`, { timeout: 300_000 }, async () => {
  await post('/api/threads', { thread_id: 'many' })
  const readers = Array.from({ length: READERS }, () => reader('/api/threads/many/events?profile=debug'))
  await Promise.all(readers.map(({ connected }) => connected))
  await post('/api/threads/many/runs', {
    agent: 'flood',
    input: { messages: [{ role: 'user', content: 'go' }] },
  })
  const counts = await Promise.all(readers.map(({ tokens }) => tokens))
  expect(new Set(counts)).toEqual(new Set([TOKENS]))
})
