import { eventLogConformance } from '@clewline/core/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killMatrix } from '../../kill/kill-matrix.ts'
import { segmentLog } from '../../log/segment-log.ts'
import { storeConformance } from '../../testing/store-conformance.ts'
import type { Fence, Store } from '../store.ts'
import { postgresStore } from './postgres-store.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

describe.skipIf(programs === null)(`with a real Postgres${needs}`, () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.stop())

  storeConformance('postgres', () => postgresStore(postgres.url))

  eventLogConformance('a segment log on Postgres', async () => {
    const store = await postgresStore(await postgres.newDatabase())
    const log = segmentLog(store.segments)
    return {
      log,
      async dispose() {
        await log.close()
        await store.close()
      },
    }
  })

  test('a text with a NUL, which Postgres knows nowhere, is refused as bad input', async () => {
    const store = await postgresStore(postgres.url)
    await expect(store.threads.list({ query: 'a\0b', limit: 1 })).rejects.toMatchObject({
      code: 'bad-request',
    })
    await store.close()
  })

  test('leases are prolonged while their runs append, and the two never wait for each other in a circle', async () => {
    const url = await postgres.newDatabase()
    const store = await postgresStore(url)
    const fences = await Promise.all(Array.from({ length: 24 }, (_, i) => claimedRun(store, `t${i}`)))
    for (let round = 1; round <= 40; round++) {
      // Longest first, then shortest first: some order that is not the one of the renewals.
      const order = round % 2 === 0 ? fences : fences.toReversed()
      const appends = order.map((fence) => ({
        thread_id: fence.thread_id,
        first: round,
        last: round,
        bytes: Buffer.from('x'),
        fence,
      }))
      const [accepted, ...held] = await Promise.all([
        store.segments.append(appends),
        store.runs.renew('w', LEASE_MS),
        store.runs.renew('w', LEASE_MS),
      ])
      expect(accepted.every(Boolean)).toBe(true)
      expect(held.map(({ length }) => length)).toEqual([24, 24])
    }
    await store.close()
    expect(await deadlocksOf(url)).toBe(0)
  })

  test('ten kills of a busy server lose nothing and leave nothing stuck', { timeout: 600_000 }, async () => {
    const report = await killMatrix(await postgres.newDatabase(), 10, Math.random)
    expect(report).toMatchObject({ stuckThreads: [], unfinishedRuns: [], violations: [], wrongReaders: [] })
  })
})

const LEASE_MS = 600_000

async function claimedRun(store: Store, thread_id: string): Promise<Fence & { thread_id: string }> {
  const now = '2026-01-01T00:00:00.000Z'
  await store.runs.insert({
    run_id: `run-of-${thread_id}`,
    thread_id,
    trace_id: `trace-of-${thread_id}`,
    agent: 'a',
    owner: null,
    priority: 'normal',
    status: 'pending',
    request: { kind: 'input', input: {} },
    attempt: 0,
    created_at: now,
    started_at: null,
    ended_at: null,
    run_at: now,
    cron_id: null,
    error: null,
    crashes: 0,
    position: null,
    end_position: null,
    base_checkpoint: null,
  })
  const run = await store.runs.claim('w', LEASE_MS)
  if (run === null) throw new Error('Nothing to claim.')
  return run
}

async function deadlocksOf(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  await client.end()
  return Number(rows[0]?.deadlocks)
}
