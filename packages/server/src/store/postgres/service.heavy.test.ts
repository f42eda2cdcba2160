import { afterAll, beforeAll, describe } from 'vitest'
import { postgresPrograms, startPostgres, type TestPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

// What the runtime and its HTTP promise on SQLite, they promise here: the same tests, each on a database of its own.
describe.skipIf(programs === null)(`the service on Postgres${needs}`, async () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres(programs!)
    process.env['CLEWLINE_TEST_POSTGRES'] = postgres.url
  })
  afterAll(() => {
    delete process.env['CLEWLINE_TEST_POSTGRES']
    postgres.stop()
  })

  await import('../../runtime/answers.test.ts')
  await import('../../runtime/give-up.test.ts')
  await import('../../runtime/runs.test.ts')
  await import('../../runtime/execute-run.test.ts')
  await import('../../runtime/compact.test.ts')
  await import('../../runtime/limits.test.ts')
  await import('../../http/agui-routes.test.ts')
  await import('../../http/bad-requests.test.ts')
  await import('../../http/event-routes.test.ts')
  await import('../../http/openapi.test.ts')
  await import('../../http/run-routes.test.ts')
  await import('../../http/security.test.ts')
})
