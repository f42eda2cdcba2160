import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { LEASE_MS, runRow } from '../testing/store-under-test.ts'
import { postgresPrograms, startPostgres } from './postgres/start-postgres.ts'
import { postgresStore } from './postgres/postgres-store.ts'
import { openDatabase } from './sqlite/database.ts'
import { sqliteStore } from './sqlite/sqlite-store.ts'
import type { Run, Store, Turn } from './store.ts'

const MANY = 1_000_000
const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

const REQUEST = `'{"kind":"input","input":null}'`

// Nine of ten runs are of one owner, each tenth one of those is to start later; the others belong to a thousand.
const rows = (text: (n: string) => string, table: string, request: string, source: string): string => `
  INSERT INTO ${table} (run_id, thread_id, trace_id, agent, owner, priority, urgency, status, ${request}, attempt,
    created_at, run_at, crashes)
  SELECT ${text('n')}, ${text('n')}, ${text('n')}, 'a', CASE WHEN n % 10 < 9 THEN 'flood' ELSE 'owner-' || ${text('n / 10 % 1000')} END,
    'normal', 1, 'pending', ${request === 'kind' ? "'input'" : REQUEST}, 0, '2020-01-01T00:00:00.000Z',
    CASE WHEN n % 10 = 0 THEN '2100-01-01T00:00:00.000Z' ELSE '2020-01-01T00:00:00.000Z' END, 0 ${source}`

async function timed<T>(work: () => Promise<T>): Promise<readonly [number, T]> {
  const begun = performance.now()
  const result = await work()
  return [performance.now() - begun, result]
}

/** Claims in turns; prints and resolves with the 95th percentile in ms. */
async function claims(store: Store, what: string, turnOf: (last: Run | null) => Turn): Promise<number> {
  const times: number[] = []
  let last: Run | null = null
  for (let i = 0; i < 200; i++) {
    const [ms, run]: readonly [number, Run | null] = await timed(() =>
      store.runs.claim('w', LEASE_MS, turnOf(last)),
    )
    times.push(ms)
    last = run ?? last
  }
  const at = (share: number): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!
  console.log(`${store.kind}, ${what}: p50 ${at(0.5).toFixed(2)} ms, p95 ${at(0.95).toFixed(2)} ms`)
  return at(0.95)
}

interface Figures {
  readonly inTurns: number
  readonly allButOneFull: number
  /** Who is next when somebody comes who has waited for nothing yet. */
  readonly next: string | null | undefined
}

async function figuresOf(store: Store): Promise<Figures> {
  const inTurns = await claims(store, 'owners in turns', (last) =>
    last === null ? {} : { after: last.owner },
  )
  const full = ['flood', ...Array.from({ length: 998 }, (_, i) => `owner-${i}`)]
  const allButOneFull = await claims(store, 'all owners but one are full', () => ({ after: 'flood', full }))
  await store.runs.insert(runRow('newcomer', { owner: 'newcomer' }))
  const next = (await store.runs.claim('w', LEASE_MS, { after: 'flood' }))?.owner
  for (const [what, ask] of [
    ['nextDue', () => store.runs.nextDue()],
    ['pendingOf', () => store.runs.pendingOf('flood', 10_000)],
    ['pending', () => store.runs.pending()],
    ['countByOwner', () => store.runs.countByOwner('pending', 20)],
  ] as const) {
    console.log(`${store.kind}, ${what}: ${(await timed<unknown>(ask))[0].toFixed(1)} ms`)
  }
  return { inTurns, allButOneFull, next }
}

const within = (most: number): unknown => expect.toSatisfy((ms: number) => ms < most)
const FAST = { inTurns: within(20), allButOneFull: within(200), next: 'newcomer' }

test('a million pending runs do not slow claims down on SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-many-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await sqliteStore(folder).close()
  const database = openDatabase(join(folder, 'clewline.db'))
  const numbers = `FROM (WITH RECURSIVE counter (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < ${MANY})
    SELECT n FROM counter)`
  database.exec(rows((n) => `CAST(${n} AS TEXT)`, 'runs', 'kind', numbers))
  database.exec(`INSERT INTO run_requests (run_id, request) SELECT run_id, ${REQUEST} FROM runs`)
  database.close()
  const store = sqliteStore(folder)
  onTestFinished(() => store.close())
  expect(await figuresOf(store)).toEqual(FAST)
})

test.skipIf(programs === null)(
  `a million pending runs do not slow claims down on Postgres${needs}`,
  async () => {
    const postgres = await startPostgres(programs!)
    onTestFinished(() => postgres.stop())
    const store = await postgresStore(postgres.url)
    const client = new pg.Client(postgres.url)
    await client.connect()
    await client.query(
      rows((n) => `(${n})::text`, 'clewline.runs', 'request', `FROM generate_series(1, ${MANY}) AS n`),
    )
    expect(await figuresOf(store)).toEqual(FAST)
    await client.end()
    await store.close()
  },
)
