import { afterAll, beforeAll, describe } from 'vitest'
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
})
