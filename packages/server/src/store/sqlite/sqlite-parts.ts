import type { Segment } from '../store.ts'
import type { Database } from './database.ts'

/** Which row of a thread's log has which part. */
export interface SqliteParts {
  add(thread_id: string, names: readonly string[], first: number): void
  removeBetween(thread_id: string, first: number, last: number): void
  remove(thread_id: string): void
  names(thread_id: string, last: number): readonly string[]
  rows(thread_id: string, names: readonly string[], bytes: number): readonly Segment[]
}

/** Rows before those that were asked for, at most. */
const NEAR = 256

export function sqliteParts(database: Database): SqliteParts {
  const insert = database.statement(
    `INSERT INTO parts (thread_id, name, first) VALUES (?, ?, ?)
     ON CONFLICT (thread_id, name) DO UPDATE SET first = min(first, excluded.first)`,
  )
  const removeAll = database.statement('DELETE FROM parts WHERE thread_id = ?')
  const removeSome = database.statement('DELETE FROM parts WHERE thread_id = ? AND first >= ? AND first <= ?')
  const upTo = database.statement<{ name: string }>(
    'SELECT name FROM parts WHERE thread_id = ? AND first <= ?',
  )
  const placeOf = database.statement<{ first: number }>(
    'SELECT first FROM parts WHERE thread_id = ? AND name = ?',
  )
  const placesBefore = database.statement<{ first: number }>(
    'SELECT DISTINCT first FROM parts WHERE thread_id = ? AND first < ? ORDER BY first DESC LIMIT ?',
  )
  const rowAt = database.statement<{ first: number; last: number; bytes: Buffer }>(
    'SELECT first, last, bytes FROM segments WHERE thread_id = ? AND first = ?',
  )

  return {
    add(thread_id, names, first) {
      for (const name of names) insert.run(thread_id, name, first)
    },
    removeBetween: (thread_id, first, last) => void removeSome.run(thread_id, first, last),
    remove: (thread_id) => void removeAll.run(thread_id),
    names: (thread_id, last) => upTo.all(thread_id, last).map(({ name }) => name),
    rows(thread_id, names, bytes) {
      const places = new Set(names.flatMap((name) => placeOf.get(thread_id, name)?.first ?? []))
      const rows = [...places].flatMap((first) => rowAt.get(thread_id, first) ?? [])
      if (bytes === 0 || rows.length === 0) return rows.toSorted(byPlace)
      let left = bytes
      for (const { first } of placesBefore.all(thread_id, Math.min(...places), NEAR)) {
        const row = rowAt.get(thread_id, first)
        left -= row?.bytes.length ?? 0
        if (row === undefined || left < 0) break
        rows.push(row)
      }
      return rows.toSorted(byPlace)
    },
  }
}

const byPlace = (a: Segment, b: Segment): number => a.first - b.first
