import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type ServerProcess, startServer } from '../kill/server-process.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from '../store/postgres/start-postgres.ts'
import { type CuttingProxy, cuttingProxy } from '../testing/cutting-proxy.ts'
import {
  allWell,
  type FleetReader,
  get,
  hasAllOnce,
  readAcross,
  startRun,
  statusOf,
  work,
} from './fleet-work.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''
/** How often each fault comes. */
const ROUNDS = Number(process.env['CLEWLINE_FLEET_ROUNDS'] ?? 1)
const BACK_MS = 5_000
/** Longer than it takes to find out that a connection is silent, and than a lease. */
const SILENT_MS = 6_000

interface Fleet {
  readonly postgres: TestPostgres
  readonly servers: ServerProcess[]
  /** Between each server and Postgres. */
  readonly proxies: readonly CuttingProxy[]
  readonly start: (index: number) => Promise<ServerProcess>
}

/** What happens to a fleet; `victim` is the server that it happens to, if it is only one. Resolves at the fault's end. */
const FAULTS: Readonly<Record<string, (fleet: Fleet, victim: number) => Promise<void>>> = {
  async kill({ servers, start }, victim) {
    await servers[victim]!.kill()
    servers[victim] = await start(victim)
  },
  async freeze({ servers }, victim) {
    const { pid } = servers[victim]!
    process.kill(pid, 'SIGSTOP')
    await sleep(2_500)
    process.kill(pid, 'SIGCONT')
  },
  async 'restart of Postgres'({ postgres }) {
    postgres.restart()
  },
  async 'terminated backends'({ postgres }) {
    const client = new pg.Client(postgres.url)
    await client.connect()
    for (let i = 0; i < 10; i++) {
      await client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'clewline%'",
      )
      await sleep(100)
    }
    await client.end()
  },
  async 'reset connections'({ proxies }) {
    for (let i = 0; i < 5; i++) {
      for (const proxy of proxies) proxy.cut()
      await sleep(100)
    }
  },
  async 'silent connections of one server'({ proxies }, victim) {
    proxies[victim]!.stall()
    await sleep(SILENT_MS)
    proxies[victim]!.resume()
  },
  async 'silent connections of all servers'({ proxies }) {
    for (const proxy of proxies) proxy.stall()
    await sleep(SILENT_MS)
    for (const proxy of proxies) proxy.resume()
  },
  async 'connections that are forgotten'({ proxies }) {
    for (const proxy of proxies) {
      proxy.stall()
      proxy.resume()
    }
  },
}

describe.skipIf(programs === null)(
  `three servers on one Postgres, their clocks 4 minutes apart${needs}`,
  () => {
    test.each(Object.entries(FAULTS))(
      `are back within ${BACK_MS / 1000} s after: %s (${ROUNDS} times). Readers have every position once`,
      { timeout: 120_000 * ROUNDS },
      async (_name, fault) => {
        const fleet = await startFleet()
        const { servers } = fleet
        const threads: string[] = []
        const readers: FleetReader[] = []
        onTestFinished(() => {
          for (const reader of readers) reader.stop()
        })
        for (let round = 0; round < ROUNDS; round++) {
          const begun = await work(servers[round % 3]!, `${round}`)
          threads.push(...begun)
          for (const thread of begun)
            for (const first of [0, 1, 2]) readers.push(readAcross(servers, thread, first))
          await sleep(Math.random() * 500)
          await fault(fleet, (round + 1) % 3)
          const ms = await untilBack(fleet, round)
          process.stdout.write(`back after ${Math.round(ms)} ms\n`)
          expect(ms).toBeLessThan(BACK_MS)
        }
        const recovered = await allWell(servers[0]!, threads)
        for (const reader of readers) await hasAllOnce(reader, servers[0]!)
        process.stdout.write(`${threads.length} runs, ${recovered} recovered, ${readers.length} readers\n`)
      },
    )

    test('stop within a bound when Postgres is silent', async () => {
      const { servers, proxies } = await startFleet()
      await work(servers[0]!, 'stop')
      for (const proxy of proxies) proxy.stall()
      const started = performance.now()
      await Promise.all(servers.map((server) => server.terminate()))
      const ms = performance.now() - started
      process.stdout.write(`stopped after ${Math.round(ms)} ms\n`)
      expect(ms).toBeLessThan(20_000)
    })
  },
)

async function startFleet(): Promise<Fleet> {
  const postgres = await startPostgres(programs!)
  onTestFinished(() => postgres.stop())
  const clocks = [0, 120_000, -120_000]
  const proxies = await Promise.all(clocks.map(() => cuttingProxy(postgres.url)))
  const start = (index: number): Promise<ServerProcess> =>
    startServer(proxies[index]!.url, Date.now() + clocks[index]!)
  const servers: ServerProcess[] = []
  onTestFinished(async () => {
    for (const server of servers) await server.kill()
  })
  for (const index of clocks.keys()) servers.push(await start(index))
  return { postgres, servers, proxies, start }
}

/** How long it takes until each server is ready, and a run that was created there has a worker. */
async function untilBack({ servers }: Fleet, round: number): Promise<number> {
  const ended = performance.now()
  await Promise.all(
    servers.map(async (server, index) => {
      const thread = `steps-back-${round}-${index}`
      await untilTrue(async () => (await get<{ ready: boolean }>(server, '/ready')).ready)
      await untilTrue(async () => {
        await startRun(server, thread)
        return true
      })
      await untilTrue(async () => ['running', 'success'].includes(await statusOf(server, thread)))
    }),
  )
  return performance.now() - ended
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 60_000
  while (performance.now() < until) {
    if (await isTrue().catch(() => false)) return
    await sleep(50)
  }
  throw new Error('The fleet does not come back.')
}
