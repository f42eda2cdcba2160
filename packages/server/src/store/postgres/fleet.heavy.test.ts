import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { allWell, over, work } from '../../chaos/fleet-work.ts'
import { type ServerProcess, startServer } from '../../kill/server-process.ts'
import { postgresPrograms, startPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''
const KILLS = 10

describe.skipIf(programs === null)(`three servers on one Postgres store${needs}`, () => {
  test('may be killed one after the other: the others go on with the runs, each once', async () => {
    const { fleet, start } = await startFleet()
    const threads: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const victim = kill % fleet.length
      threads.push(...(await work(fleet[(victim + 1) % fleet.length]!, `${kill}`)))
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
      threads.push(...(await work(frozen, `${round}`)))
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
