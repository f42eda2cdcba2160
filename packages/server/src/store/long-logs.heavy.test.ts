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

interface Figures {
  readonly seconds: number
  /** Envelopes that are left. */
  readonly left: number
  /** What `/ok` took meanwhile, in ms. */
  readonly p99: number
}

async function compacted(store: string, shape: LongShape): Promise<Figures> {
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
  return {
    seconds,
    left: TOKENS - saved,
    p99: waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)]!,
  }
}

/** The figures that are beyond what must hold. */
function tooMuch({ seconds, left, p99 }: Figures): readonly string[] {
  const bounds = { seconds: [seconds, 60], left: [left, TOKENS / 100], p99: [p99, 100] } as const
  return Object.entries(bounds).flatMap(([name, [is, most]]) => (is < most ? [] : `${name}: ${is}`))
}

test.each(SHAPES)('half a million tokens of %s are compacted in seconds on SQLite', async (shape) => {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-long-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(tooMuch(await compacted(folder, shape))).toEqual([])
})

test.skipIf(programs === null).each(SHAPES)(
  `half a million tokens of %s are compacted in seconds on Postgres${needs}`,
  async (shape) => {
    const postgres = await startPostgres(programs!)
    onTestFinished(() => postgres.stop())
    expect(tooMuch(await compacted(postgres.url, shape))).toEqual([])
  },
)
