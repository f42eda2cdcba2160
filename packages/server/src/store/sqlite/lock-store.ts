import { join } from 'node:path'
import { ClewlineError } from '@clewline/core'
import { isBusy, openDatabase } from './database.ts'

/**
 * Takes the exclusive lock of a store for this process; returns how to release it. The operating system releases the
 * lock of a process that was killed, so that its successor knows at once that every lease has expired.
 */
export function lockStore(directory: string): () => void {
  const lock = openDatabase(join(directory, 'lock.db'), 0)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new ClewlineError('conflict', `The store in ${directory} is in use by another Clewline process.`, {
      hint: 'Stop that process, talk to it over HTTP, or choose another directory with --store.',
      cause: error,
    })
  }
  return () => {
    lock.exec('ROLLBACK')
    lock.close()
  }
}
