import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { killMatrix } from './kill-matrix.ts'
import { startServer } from './server-process.ts'

let store: string
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'clewline-kill-'))
})
afterEach(() => rmSync(store, { recursive: true, force: true }))

test(
  'a server killed while it is busy loses nothing and leaves nothing stuck (3 kills)',
  { timeout: 120_000 },
  async () => {
    const moments = [0.5, 0.2, 0.9, 0.4, 0.7]
    let i = 0
    const report = await killMatrix(store, 3, () => moments[i++ % moments.length] ?? 0.5)
    expect(report).toMatchObject({ stuckThreads: [], unfinishedRuns: [], violations: [], wrongReaders: [] })
    expect(report.recovered).toBeGreaterThan(0)
  },
)

test('a server that is asked to stop hands its runs over and exits with 0', { timeout: 60_000 }, async () => {
  const post = (url: string, body: object) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const server = await startServer(store, Date.now())
  await post(`${server.url}/api/threads`, { thread_id: 't' })
  await post(`${server.url}/api/threads/t/runs`, { agent: 'steps', run_id: 'r', input: {} })
  expect(await server.terminate()).toBe(0)
  const next = await startServer(store, Date.now())
  const runStatus = async (): Promise<unknown> => (await fetch(`${next.url}/api/threads/t/runs/r`)).json()
  await expect.poll(runStatus, { timeout: 10_000 }).toMatchObject({ status: 'success' })
  await next.kill()
})
