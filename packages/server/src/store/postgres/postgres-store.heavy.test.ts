import { eventLogConformance } from '@skein/core/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killMatrix } from '../../kill/kill-matrix.ts'
import { segmentLog } from '../../log/segment-log.ts'
import { storeConformance } from '../store-conformance.ts'
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

  test('ten kills of a busy server lose nothing and leave nothing stuck', { timeout: 600_000 }, async () => {
    const report = await killMatrix(await postgres.newDatabase(), 10, Math.random)
    expect(report).toMatchObject({ stuckThreads: [], unfinishedRuns: [], violations: [], wrongReaders: [] })
  })
})
