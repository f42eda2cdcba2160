import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Store } from '../store.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { ownStore } from './own-store.ts'
import { sqliteCrons } from './sqlite-crons.ts'
import { sqliteRuns } from './sqlite-runs.ts'
import { SqliteSaver } from './sqlite-saver.ts'
import { sqliteSegments } from './sqlite-segments.ts'
import { sqliteThreads } from './sqlite-threads.ts'
import { checkpointInBackground } from './wal-checkpoints.ts'

export interface SqliteOptions {
  /** `full` also survives a power cut, at about 1.4 times the cost of a write. Default `normal`: survives a crash of the process. */
  readonly durability?: 'normal' | 'full'
}

/** A store in one file, `skein.db` in `directory`, or in memory for `:memory:`. Made for one process, which owns it. */
export function sqliteStore(directory: string, options: SqliteOptions = {}): Store {
  const isMemory = directory === ':memory:'
  const folder = resolve(directory)
  if (!isMemory) mkdirSync(folder, { recursive: true })
  const file = isMemory ? directory : join(folder, 'skein.db')
  const disown = isMemory ? () => {} : ownStore(folder)
  const database = openDatabase(file)
  if (!isMemory) {
    database.statement('PRAGMA journal_mode = WAL').all()
    database.exec(`PRAGMA synchronous = ${options.durability === 'full' ? 'FULL' : 'NORMAL'}`)
  }
  migrate(database)
  const stopCheckpoints = isMemory ? async () => {} : checkpointInBackground(database, file)
  return {
    kind: 'sqlite',
    checkpointer: new SqliteSaver(database),
    segments: sqliteSegments(database),
    threads: sqliteThreads(database),
    runs: sqliteRuns(database),
    crons: sqliteCrons(database),
    async close() {
      await stopCheckpoints()
      database.close()
      disown()
    },
  }
}
