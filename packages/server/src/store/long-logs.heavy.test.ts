import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chatGraph } from '../testing/chat-graph.ts'
import { longRun, type LongShape } from '../testing/long-run.ts'
import { startService } from '../testing/start-service.ts'
import { postgresPrograms, startPostgres } from './postgres/start-postgres.ts'

const TOKENS = 500_000
const SHAPES: readonly LongShape[] = ['one call', 'many calls', 'calls that take turns']
const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

async function compactsInTime(store: string, shape: LongShape): Promise<void> {
  const { clewline, url } = await startService({
    agents: { none: chatGraph(() => ({ text: '' })) },
    store,
    concurrency: 0,
  })
  await longRun(clewline, 'long', shape, TOKENS)
  const waits: number[] = []
  let isDone = false
  const asking = (async () => {
    while (!isDone) {
      const asked = performance.now()
      expect((await fetch(`${url}/ok`)).status).toBe(200)
      waits.push(performance.now() - asked)
    }
  })()
  const begun = performance.now()
  const saved = await clewline.compact('long')
  const seconds = (performance.now() - begun) / 1000
  isDone = true
  await asking
  const slowest = Math.max(...waits)
  console.log(
    `${shape}: ${seconds.toFixed(1)} s, ${saved} envelopes less, /ok took ${slowest.toFixed(0)} ms at most`,
  )
  expect(saved).toBeGreaterThan(TOKENS * 0.99)
  expect(seconds).toBeLessThan(60)
  expect(waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)]).toBeLessThan(100)
}

test.each(SHAPES)('half a million tokens of %s are compacted in seconds on SQLite', async (shape) => {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-long-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await compactsInTime(folder, shape)
})

test.skipIf(programs === null).each(SHAPES)(
  `half a million tokens of %s are compacted in seconds on Postgres${needs}`,
  async (shape) => {
    const postgres = await startPostgres(programs!)
    onTestFinished(() => postgres.stop())
    await compactsInTime(postgres.url, shape)
  },
)
