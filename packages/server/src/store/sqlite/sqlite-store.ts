import { resolve } from 'node:path'
import type { Store } from '../store.ts'
import { type Database, isUnavailable, openDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { openOwned } from './open-owned.ts'
import { returnPagesInBackground } from './return-pages.ts'
import { sqliteCrons } from './sqlite-crons.ts'
import { sqliteRuns } from './sqlite-runs.ts'
import { SqliteSaver } from './sqlite-saver.ts'
import { sqliteSegments } from './sqlite-segments.ts'
import { sqliteThreads } from './sqlite-threads.ts'
import { checkpointInBackground } from './wal-checkpoints.ts'

export interface SqliteOptions {
  /** `full` also survives a power cut, at about 1.4 times the cost of a write. Default `normal`: survives a crash of the process. */
  readonly durability?: 'normal' | 'full'
  /** The store's clock, in milliseconds since the epoch. Default `Date.now`; for tests. */
  readonly now?: () => number
}

/** A store in one file, `clewline.db` in `directory`, or in memory for `:memory:`. Made for one process, which owns it. */
export function sqliteStore(directory: string, options: SqliteOptions = {}): Store {
  if (directory === ':memory:') return inMemory(options)
  const { database, file, close } = openOwned(resolve(directory), options.durability)
  const stopCheckpoints = checkpointInBackground(database, file)
  const stopReturning = returnPagesInBackground(database)
  return sqliteStoreOn(database, options.now, async () => {
    stopReturning()
    await stopCheckpoints()
    close()
  })
}

/** The store in a database whose schema is this version's. */
export function sqliteStoreOn(database: Database, now = Date.now, close: Store['close']): Store {
  return {
    kind: 'sqlite',
    isShared: false,
    checkpointer: new SqliteSaver(database),
    segments: sqliteSegments(database, now),
    threads: sqliteThreads(database),
    runs: sqliteRuns(database, now),
    crons: sqliteCrons(database, now),
    now: async () => new Date(now()).toISOString(),
    isUnavailable,
    close,
  }
}

function inMemory({ now }: SqliteOptions): Store {
  const database = openDatabase(':memory:')
  migrate(database)
  return sqliteStoreOn(database, now, async () => database.close())
}
