import { statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { isDamage, openDatabase } from './database.ts'

/** A check reads about 650 MB in a second: beyond this size only the tables without which nothing works are read. */
const WHOLE_BYTES = 256 * 1024 * 1024
const VITAL_TABLES = ['threads', 'runs', 'crons']

/**
 * Integrity check: what is wrong with a store's file, by SQLite's `quick_check`, or null. By a read-only connection, which
 * leaves a damaged file and its write-ahead log as they are. Throws when the file cannot be opened at all.
 */
export function findDamage(file: string, wholeBytes = WHOLE_BYTES): string | null {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return null
  const database = openDatabase(`${pathToFileURL(file).href}?mode=ro`)
  try {
    const check = (table: string): string | null => {
      const found = database.statement<{ quick_check: string }>(`PRAGMA quick_check(${table})`).get()
      return found === undefined || found.quick_check === 'ok' ? null : found.quick_check
    }
    if (size <= wholeBytes) return check('1')
    const known = new Set(
      database
        .statement<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .all()
        .map(({ name }) => name),
    )
    for (const table of VITAL_TABLES) {
      const found = known.has(table) ? check(table) : null
      if (found !== null) return found
    }
    return null
  } catch (error) {
    if (isDamage(error)) return error instanceof Error ? error.message : String(error)
    throw error
  } finally {
    database.close()
  }
}
