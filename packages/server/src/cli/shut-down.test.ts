import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { config, useShell } from './testing/shell.ts'

vi.setConfig({ testTimeout: 60_000 })
const { folder, start } = useShell()

/** A server on a store of its own with a run that does not hear of anything. */
async function withStubbornRun(
  name: string,
  ...args: string[]
): Promise<{ child: ChildProcessWithoutNullStreams; url: string }> {
  const store = join(folder(), name)
  const child = start(['start', '--json', '--port', '0', '--config', config, '--store', store, ...args])
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { url }: { url: string } = JSON.parse(String(line))
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await post('/api/threads', { thread_id: 't' })
  const input = { messages: [{ role: 'user', content: 'stubborn' }] }
  await post('/api/threads/t/runs', { agent: 'echo', run_id: 'r', input })
  await expect.poll(() => statusOf(url)).toBe('running')
  return { child, url }
}

async function statusOf(url: string): Promise<unknown> {
  const run = (await (await fetch(`${url}/api/threads/t/runs/r`)).json()) as { status?: string }
  return run.status
}

test('SIGTERM ends a server whose tool does not stop and whose reader does not read, and gives the run back', async () => {
  const { child, url } = await withStubbornRun('stubborn', '--drain-seconds', '0.5')
  const reader = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void reader.destroy())
  reader.pause().on('error', () => {})
  reader.write('GET /api/threads/t/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const started = performance.now()
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  // The drain, the grace period of a source, and some time for a machine that is busy.
  expect(performance.now() - started).toBeLessThan(8_000)

  const store = join(folder(), 'stubborn')
  const next = start(['start', '--json', '--port', '0', '--config', config, '--store', store])
  const [line] = await once(createInterface({ input: next.stdout }), 'line')
  const after: { url: string } = JSON.parse(String(line))
  const run = await (await fetch(`${after.url}/api/threads/t/runs/r`)).json()
  expect(run).toMatchObject({ status: 'running', attempt: 2 })
})

test('a second signal does not wait for the drain', async () => {
  const { child, url } = await withStubbornRun('second', '--drain-seconds', '60')
  child.kill('SIGTERM')
  const isListening = (): Promise<boolean> =>
    fetch(`${url}/ok`).then(
      () => true,
      () => false,
    )
  await expect.poll(isListening).toBe(false)
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(130)
})
