import { setTimeout as sleep } from 'node:timers/promises'
import { parseJsonl, verify } from '@skein/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ServerProcess, startServer } from '../../kill/server-process.ts'
import { postgresPrograms, startPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''
const AGENTS = ['stream', 'tools', 'steps', 'nested', 'team']
const KILLS = 10

describe.skipIf(programs === null)(`three servers on one Postgres store${needs}`, () => {
  test('may be killed one after the other: the others go on with the runs, each once', async () => {
    const postgres = await startPostgres(programs!)
    onTestFinished(() => postgres.stop())
    const start = (): Promise<ServerProcess> => startServer(postgres.url, Date.now())
    const fleet = await Promise.all([start(), start(), start()])
    onTestFinished(() => Promise.all(fleet.map((server) => server.kill())).then(() => {}))

    const threads: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = kill % fleet.length
      const asked = fleet[(victim + 1) % fleet.length]!
      for (const agent of AGENTS) {
        const thread_id = `${agent}-${kill}`
        threads.push(thread_id)
        const input = agent === 'steps' ? {} : { messages: [{ role: 'user', content: 'go' }] }
        await post(asked, '/api/threads', { thread_id })
        await post(asked, `/api/threads/${thread_id}/runs`, { agent, run_id: thread_id, input })
      }
      await sleep(Math.random() * 600)
      await fleet[victim]!.kill()
      fleet[victim] = await start()
    }

    const [server] = fleet
    let recovered = 0
    for (const thread of threads) {
      const run = (): Promise<{ status: string; attempt: number }> =>
        get(server!, `/api/threads/${thread}/runs/${thread}`)
      await expect.poll(async () => (await run()).status, { timeout: 60_000 }).toBe('success')
      if ((await run()).attempt > 1) recovered += 1
      const text = await (await fetch(`${server!.url}/api/threads/${thread}/export`)).text()
      const envelopes = []
      for await (const read of parseJsonl([text])) if ('envelope' in read) envelopes.push(read.envelope)
      expect(verify(envelopes), thread).toEqual([])
    }
    expect(recovered).toBeGreaterThan(0)
    process.stdout.write(`${KILLS} kills, ${threads.length} runs, ${recovered} recovered\n`)
  })
})

async function post(server: ServerProcess, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status, await response.text()).toBeLessThan(300)
}

async function get<T>(server: ServerProcess, path: string): Promise<T> {
  return (await fetch(server.url + path)).json() as Promise<T>
}
