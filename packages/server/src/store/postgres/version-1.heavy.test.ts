import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { continuesVersion1, version1 } from '../fixtures/version-1.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

describe.skipIf(programs === null)(`a Postgres store of version 1${needs}`, () => {
  let postgres: TestPostgres | undefined
  beforeAll(async () => void (postgres = await startPostgres(programs!)), 60_000)
  afterAll(() => postgres?.stop())

  continuesVersion1(async () => {
    const url = await postgres!.newDatabase()
    const { status, stderr } = spawnSync(join(programs!, 'psql'), ['-q', '-v', 'ON_ERROR_STOP=1', url], {
      input: version1('sql'),
    })
    if (status !== 0) throw new Error(`psql failed: ${stderr.toString()}`)
    return url
  })
})
