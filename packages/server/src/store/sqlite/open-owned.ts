import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ClewlineError } from '@clewline/core'
import { type Database, isDamage, openDatabase } from './database.ts'
import { findDamage } from './find-damage.ts'
import { lockStore } from './lock-store.ts'
import { migrate } from './migrations.ts'

/** The database of a store that is this process's until it is closed. */
export interface OwnedDatabase {
  readonly database: Database
  readonly file: string
  /** Closes it, and lets another process have the store. */
  readonly close: () => void
}

/**
 * Opens `clewline.db` in a folder, which is made if need be. The folder may not be writable, a file may be in its place, the
 * disk may be full, the file may be damaged: a `ClewlineError` says so, and what is there is left as it is.
 */
export function openOwned(folder: string, durability: 'normal' | 'full' = 'normal'): OwnedDatabase {
  const file = join(folder, 'clewline.db')
  const undo: (() => void)[] = []
  const close = (): void => {
    for (const step of undo.splice(0).toReversed()) step()
  }
  try {
    makeFolder(folder)
    // For the sentence: SQLite says "14".
    accessSync(folder, constants.W_OK)
    undo.push(lockStore(folder))
    const damage = findDamage(file)
    if (damage !== null) throw damaged(folder, damage)
    const database = openDatabase(file)
    undo.push(() => database.close())
    // Only a file without tables takes it; others are converted by a VACUUM.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.statement('PRAGMA journal_mode = WAL').all()
    database.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`)
    migrate(database)
    return { database, file, close }
  } catch (error) {
    close()
    if (error instanceof ClewlineError) throw error
    const why = error instanceof Error ? error.message : String(error)
    if (isDamage(error)) throw damaged(folder, why, error)
    throw new ClewlineError('unavailable', `The store in ${folder} cannot be opened: ${why}.`, {
      hint: 'It must be a directory that this process may write, on a disk with room. Mend that, or choose another with --store.',
      cause: error,
    })
  }
}

function damaged(folder: string, why: string, cause?: unknown): ClewlineError {
  return new ClewlineError(
    'unavailable',
    `The store in ${folder} cannot be opened: it is damaged (${why}).`,
    {
      hint: 'Nothing was changed. Restore a backup of the directory; sqlite3 clewline.db ".recover" prints what can still be read, as SQL for a new file.',
      cause,
    },
  )
}

/** With its parents, one by one: for a place where none can be made, such as /proc, Node 20's recursive mkdir never returns. */
function makeFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (found !== undefined) throw new Error(`${folder} is not a directory`)
  makeFolder(dirname(folder))
  mkdirSync(folder)
}
