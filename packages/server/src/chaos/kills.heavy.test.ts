import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresPrograms, startPostgres } from '../store/postgres/start-postgres.ts'
import { parseAim } from './aim.ts'
import { chaosKills } from './chaos-kills.ts'
import { noFindings } from './chaos-report.ts'
import { planKills } from './plan-kills.ts'
import { seededRandom } from './seeded-random.ts'

/** The whole form is 300 on each store. */
const KILLS = Number(process.env['CLEWLINE_CHAOS_KILLS'] ?? 28)
const SEED = Number(process.env['CLEWLINE_CHAOS_SEED'] ?? Date.now() % 1_000_000)
/** All kills at one place, such as `after:settle:2`, to look at a failure. */
const AIM = parseAim(process.env['CLEWLINE_CHAOS_AIM'] ?? '')
const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''
const timeout = 60_000 + KILLS * 20_000

describe('a server that is killed at the writes between which something is half done', () => {
  test(`loses, doubles and mixes up nothing on SQLite (${KILLS} kills)`, { timeout }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clewline-chaos-store-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await expectAllWell(folder)
  })

  test.skipIf(programs === null)(
    `loses, doubles and mixes up nothing on Postgres (${KILLS} kills)${needs}`,
    { timeout },
    async () => {
      const postgres = await startPostgres(programs!)
      onTestFinished(() => postgres.stop())
      await expectAllWell(postgres.url)
    },
  )
})

async function expectAllWell(store: string): Promise<void> {
  const random = seededRandom(SEED)
  const plan = AIM === null ? planKills(KILLS, random) : Array.from({ length: KILLS }, () => AIM)
  const report = await chaosKills(store, plan, random)
  process.stdout.write(`CLEWLINE_CHAOS_SEED=${SEED} ${JSON.stringify(report, null, 2)}\n`)
  expect(report.found).toEqual(noFindings())
  const hits = Object.values(report.hits).reduce((sum, count) => sum + count, 0)
  expect(hits).toBeGreaterThan(KILLS / 3)
  if (AIM === null) expect(report.recovered).toBeGreaterThan(KILLS / 3)
}
