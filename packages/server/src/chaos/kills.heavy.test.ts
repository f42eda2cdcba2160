import { describe, expect, test } from 'vitest'
import { parseAim } from './aim.ts'
import { chaosKills } from './chaos-kills.ts'
import { noFindings } from './chaos-report.ts'
import { planKills } from './plan-kills.ts'
import { seededRandom } from './seeded-random.ts'
import { STORES, temporaryFolder } from './stores.ts'

/** The whole form is 300 on each store. */
const KILLS = Number(process.env['CLEWLINE_CHAOS_KILLS'] ?? 14)
const SEED = Number(process.env['CLEWLINE_CHAOS_SEED'] ?? Date.now() % 1_000_000)
/** All kills at one place, such as `after:settle:2`, to look at a failure. */
const AIM = parseAim(process.env['CLEWLINE_CHAOS_AIM'] ?? '')
const timeout = 240_000 + KILLS * 20_000

describe.each(STORES)('a server on $name', ({ isMissing, open }) => {
  test.skipIf(isMissing)(
    `that is killed at the writes between which something is half done loses, doubles and mixes up nothing (${KILLS} kills)`,
    { timeout },
    async () => {
      const random = seededRandom(SEED)
      const plan = AIM === null ? planKills(KILLS, random) : Array.from({ length: KILLS }, () => AIM)
      const report = await chaosKills({ store: await open(), folder: temporaryFolder(), plan, random })
      process.stdout.write(`CLEWLINE_CHAOS_SEED=${SEED} ${JSON.stringify(report, null, 2)}\n`)
      expect(report.found).toEqual(noFindings())
      const hits = Object.values(report.hits).reduce((sum, count) => sum + count, 0)
      expect(hits).toBeGreaterThan(KILLS / 3)
    },
  )
})
