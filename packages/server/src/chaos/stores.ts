import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { postgresPrograms, startPostgres } from '../store/postgres/start-postgres.ts'

const programs = postgresPrograms()

/** The stores that a server can be on; `open` gives an empty one until the test is over. */
export const STORES = [
  {
    name: 'SQLite',
    isMissing: false,
    open: (): Promise<string> => Promise.resolve(temporaryFolder()),
  },
  {
    name:
      programs === null ? 'Postgres: SKIPPED, not on this machine (apt-get install postgresql)' : 'Postgres',
    isMissing: programs === null,
    async open(): Promise<string> {
      const postgres = await startPostgres(programs ?? '')
      onTestFinished(() => postgres.stop())
      return postgres.url
    },
  },
]

/** Removed when the test is over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-chaos-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
