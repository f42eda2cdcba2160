import { setTimeout as sleep } from 'node:timers/promises'
import { parseJsonl } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ServerProcess, startServer } from '../../kill/server-process.ts'
import { postgresPrograms, startPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''
/** How far the state of each agent gets: steps, or messages. */
const ENDS = new Map([
  ['stream', 2],
  ['tools', 5],
  ['steps', 20],
  ['nested', 2],
  ['team', 5],
])
const KILLS = 10

describe.skipIf(programs === null)(`three servers on one Postgres store${needs}`, () => {
  test('may be killed one after the other: the others go on with the runs, each once', async () => {
    const { fleet, start } = await startFleet()
    const threads: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = kill % fleet.length
      threads.push(...(await work(fleet[(victim + 1) % fleet.length]!, kill)))
      await sleep(Math.random() * 600)
      await fleet[victim]!.kill()
      fleet[victim] = await start()
    }
    const recovered = await allWell(fleet[0], threads)
    expect(recovered).toBeGreaterThan(0)
    process.stdout.write(`${KILLS} kills, ${threads.length} runs, ${recovered} recovered\n`)
  })

  test('may be frozen until the others think them dead: back again, they write nothing into what is not theirs', async () => {
    const { fleet } = await startFleet()
    const threads: string[] = []
    for (let round = 0; round < 4; round++) {
      const frozen = fleet[round % fleet.length]!
      const awake = fleet[(round + 1) % fleet.length]!
      threads.push(...(await work(frozen, round)))
      process.kill(frozen.pid, 'SIGSTOP')
      // Longer than a lease: the others take its runs.
      await sleep(2_500)
      process.kill(frozen.pid, 'SIGCONT')
      for (const thread of threads) await over(awake, thread)
    }
    expect(await allWell(fleet[0], threads)).toBeGreaterThan(0)
  })
})

async function startFleet(): Promise<{
  fleet: [ServerProcess, ServerProcess, ServerProcess]
  start: () => Promise<ServerProcess>
}> {
  const postgres = await startPostgres(programs!)
  onTestFinished(() => postgres.stop())
  const start = (): Promise<ServerProcess> => startServer(postgres.url, Date.now())
  const fleet: [ServerProcess, ServerProcess, ServerProcess] = [await start(), await start(), await start()]
  onTestFinished(async () => {
    for (const server of fleet) await server.kill()
  })
  return { fleet, start }
}

/** Starts a run of each agent, on new threads. */
async function work(server: ServerProcess, round: number): Promise<readonly string[]> {
  const threads = [...ENDS.keys()].map((agent) => `${agent}-${round}`)
  for (const thread_id of threads) {
    const agent = agentOf(thread_id)
    const input = agent === 'steps' ? {} : { messages: [{ role: 'user', content: 'go' }] }
    await post(server, '/api/threads', { thread_id })
    await post(server, `/api/threads/${thread_id}/runs`, { agent, run_id: thread_id, input })
  }
  return threads
}

function agentOf(thread: string): string {
  return thread.slice(0, thread.indexOf('-'))
}

/** Waits for the run of a thread; answers with how often it was taken up. */
async function over(server: ServerProcess, thread: string): Promise<number> {
  const run = (): Promise<{ status: string; attempt: number }> =>
    get(server, `/api/threads/${thread}/runs/${thread}`)
  await expect.poll(async () => (await run()).status, { timeout: 60_000 }).toBe('success')
  return (await run()).attempt
}

/** Every run has ended well, its log keeps the rules, its state is the one that its graph leads to; how many were taken over. */
async function allWell(server: ServerProcess, threads: readonly string[]): Promise<number> {
  let recovered = 0
  for (const thread of threads) {
    if ((await over(server, thread)) > 1) recovered += 1
    const text = await (await fetch(`${server.url}/api/threads/${thread}/export`)).text()
    const envelopes = []
    for await (const read of parseJsonl([text])) if ('envelope' in read) envelopes.push(read.envelope)
    expect(verify(envelopes)).toEqual([])
    const { values } = await get<{ values: { n?: number; messages?: unknown[] } }>(
      server,
      `/api/threads/${thread}/state`,
    )
    expect([thread, values.n ?? values.messages?.length]).toEqual([thread, ENDS.get(agentOf(thread))])
  }
  return recovered
}

async function post(server: ServerProcess, path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.status).toBeLessThan(300)
}

async function get<T>(server: ServerProcess, path: string): Promise<T> {
  return (await fetch(server.url + path)).json() as Promise<T>
}
