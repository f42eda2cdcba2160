import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { openOwned } from './open-owned.ts'

export interface Vacuumed {
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/**
 * VACUUM: rewrites a store's file without its free pages, and so that it shrinks by itself from now on. No other process
 * may use the store meanwhile, and the disk needs room for a second copy; a process that dies leaves the file as it was.
 */
export function vacuumStore(directory: string): Vacuumed {
  const { database, file, close } = openOwned(resolve(directory))
  try {
    const truncate = database.statement('PRAGMA wal_checkpoint(TRUNCATE)')
    truncate.all()
    const bytesBefore = statSync(file).size
    database.exec('PRAGMA auto_vacuum = INCREMENTAL')
    database.exec('VACUUM')
    truncate.all()
    return { bytesBefore, bytesAfter: statSync(file).size }
  } finally {
    close()
  }
}
