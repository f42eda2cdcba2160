import { mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ClewlineError } from '@clewline/core'
import type { Store } from '../store.ts'
import { type Database, openDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { lockStore } from './lock-store.ts'
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
  const isMemory = directory === ':memory:'
  const folder = resolve(directory)
  const file = isMemory ? directory : join(folder, 'clewline.db')
  const { database, unlock } = isMemory ? inMemory() : opened(folder, file, options)
  const { now = Date.now } = options
  const stopCheckpoints = isMemory ? async () => {} : checkpointInBackground(database, file)
  return {
    kind: 'sqlite',
    isShared: false,
    checkpointer: new SqliteSaver(database),
    segments: sqliteSegments(database, now),
    threads: sqliteThreads(database),
    runs: sqliteRuns(database, now),
    crons: sqliteCrons(database, now),
    now: async () => new Date(now()).toISOString(),
    async close() {
      await stopCheckpoints()
      database.close()
      unlock()
    },
  }
}

interface Opened {
  readonly database: Database
  /** Lets another process have the store. */
  readonly unlock: () => void
}

function inMemory(): Opened {
  const database = openDatabase(':memory:')
  migrate(database)
  return { database, unlock: () => {} }
}

/** The directory may not be writable, a file may be in its place, the disk may be full, the file may be damaged. */
function opened(folder: string, file: string, options: SqliteOptions): Opened {
  let unlock = (): void => {}
  try {
    makeFolder(folder)
    unlock = lockStore(folder)
    const database = openDatabase(file)
    database.statement('PRAGMA journal_mode = WAL').all()
    database.exec(`PRAGMA synchronous = ${options.durability === 'full' ? 'FULL' : 'NORMAL'}`)
    migrate(database)
    return { database, unlock }
  } catch (error) {
    unlock()
    if (error instanceof ClewlineError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new ClewlineError('unavailable', `The store in ${folder} cannot be opened: ${why}.`, {
      hint: 'It must be a directory that this process may write, with a whole clewline.db or none. Choose another with --store, or restore a backup.',
      cause: error,
    })
  }
}

/** With its parents, one by one: for a place where none can be made, such as /proc, Node 20's recursive mkdir never returns. */
function makeFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found !== undefined) throw new Error(`${folder} is not a directory`)
  makeFolder(dirname(folder))
  mkdirSync(folder)
}
