import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Envelope } from '@clewline/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callsIn, startServer, type StartedServer } from './testing/start-server.ts'

const python =
  process.env['LANGROID_PYTHON'] ??
  fileURLToPath(new URL('../../../packages/langroid/.venv/bin/python', import.meta.url))
const missing = existsSync(python) ? null : `there is no ${python}: "npm run test:langroid" makes it`
// A skip that nobody sees is a hole: say why.
if (missing !== null) process.stderr.write(`\nSKIPPED "clewline start" with Langroid workers: ${missing}\n`)

/** The agents in the order in which they are asked when nothing goes wrong. */
const TURNS = ['main', 'adder', 'main', 'squarer', 'squarer', 'main']

let folder: string
let server: StartedServer
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clewline-worker-'))
})
afterEach(async () => {
  if (server.process.exitCode === null && server.process.signalCode === null) await server.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

async function begin(agent: string, text: string): Promise<void> {
  await server.post('/api/threads', { thread_id: 't' })
  await say(agent, text)
}

async function say(agent: string, text: string): Promise<void> {
  await server.post('/api/threads/t/runs', { agent, input: { messages: [{ role: 'user', content: text }] } })
}

/** Waits for a model call beyond those that were made before; resolves with the process that makes it. */
async function nextCall(count: number): Promise<number> {
  await expect.poll(() => callsIn(folder).length, { timeout: 60_000, interval: 20 }).toBeGreaterThan(count)
  return callsIn(folder)[count]!.pid
}

/** What the main agent said last, or its task. */
function lastText(envelopes: readonly Envelope[]): string | undefined {
  const root = envelopes.find((envelope) => envelope.parent_id === null)?.call_id
  const roots = new Set(
    envelopes
      .filter((e) => e.parent_id === null)
      .map((e) => e.call_id)
      .concat(root ?? []),
  )
  const said = envelopes.filter((e) => e.type === 'llm_end' && roots.has(e.parent_id ?? ''))
  return said.findLast((e) => e.type === 'llm_end')?.payload.message.text
}

describe.skipIf(missing !== null)('`clewline start` with a Langroid worker', () => {
  test('a task whose server is killed at every turn comes to the result of one that is not', async () => {
    server = await startServer(folder)
    await begin('sums', 'go')
    await nextCall(0)
    for (let kill = 1; kill < TURNS.length; kill++) {
      const before = callsIn(folder).length
      await server.kill('SIGKILL')
      server = await startServer(folder)
      // The turn that was cut short is asked again, and then the next one. A turn that was not yet saved is repeated, too.
      await nextCall(before + 1)
    }
    await server.kill('SIGKILL')
    server = await startServer(folder)
    expect(await server.settled('t')).toBe('idle')
    expect(lastText(await server.envelopes('t'))).toBe('The square of the sum is 25.')
  }, 400_000)

  test('a task whose worker is killed at every turn comes to the result of one that is not', async () => {
    server = await startServer(folder)
    await begin('sums', 'go')
    for (let turn = 0; turn < TURNS.length; turn++) process.kill(await nextCall(2 * turn), 'SIGKILL')
    expect(await server.settled('t')).toBe('idle')
    expect(callsIn(folder).map(({ agent }) => agent)).toEqual(TURNS.flatMap((agent) => [agent, agent]))
    const envelopes = await server.envelopes('t')
    expect(lastText(envelopes)).toBe('The square of the sum is 25.')
    expect(new Set(envelopes.map(({ trace_id }) => trace_id)).size).toBe(1)
  }, 400_000)

  test("a sub-task's question outlives the server, and the answer reaches the sub-task, which remembers it", async () => {
    server = await startServer(folder)
    await begin('painter', 'paint')
    expect(await server.settled('t')).toBe('interrupted')
    await server.kill('SIGKILL')
    server = await startServer(folder)
    await server.post('/api/threads/t/runs', { agent: 'painter', resume: [{ value: 'blue please' }] })
    expect(await server.settled('t')).toBe('idle')
    expect(lastText(await server.envelopes('t'))).toBe('It is blue.')
    await server.kill('SIGKILL')
    server = await startServer(folder)
    await say('painter', 'again')
    expect(await server.settled('t')).toBe('idle')
    const envelopes = await server.envelopes('t')
    expect(lastText(envelopes)).toBe('Still blue.')
    expect(JSON.stringify(envelopes)).not.toContain('has no answer')
  }, 200_000)

  test('a DocChatAgent answers from its document; SIGTERM ends the server and its worker', async () => {
    server = await startServer(folder)
    await begin('librarian', 'Who was the keeper of the lighthouse of Utsira?')
    expect(await server.settled('t')).toBe('idle')
    expect(lastText(await server.envelopes('t'))).toBe('The keeper was Tordis Vik.')
    await say('librarian', 'And who was that again?')
    expect(await server.settled('t')).toBe('idle')
    expect(lastText(await server.envelopes('t'))).toBe('The keeper was Tordis Vik.')
    expect(server.log()).toContain('librarian')
    expect(await server.kill('SIGTERM')).toBe(0)
    await expect(fetch(server.url)).rejects.toThrow('fetch failed')
  }, 200_000)
})
