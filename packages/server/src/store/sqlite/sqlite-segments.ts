import type { Append, NewSegment, Segment, SegmentStore } from '../store.ts'
import type { Database } from './database.ts'
import { sqliteParts } from './sqlite-parts.ts'

interface Row {
  first: number
  last: number
  bytes: Buffer
}

/** `now` is the store's clock, in milliseconds. */
export function sqliteSegments(database: Database, now: () => number): SegmentStore {
  const index = sqliteParts(database)
  const insert = database.statement(
    'INSERT OR IGNORE INTO segments (thread_id, first, last, bytes) VALUES (?, ?, ?, ?)',
  )
  const newest = database.statement<{ last: number }>(
    'SELECT last FROM segments WHERE thread_id = ? ORDER BY first DESC LIMIT 1',
  )
  // The row that holds `after + 1` starts at or before it: one step back in the index finds it.
  const startOf = database.statement<{ first: number }>(
    'SELECT first FROM segments WHERE thread_id = ? AND first <= ? ORDER BY first DESC LIMIT 1',
  )
  const rowsFrom = database.statement<Row>(
    'SELECT first, last, bytes FROM segments WHERE thread_id = ? AND first >= ? AND last > ? ORDER BY first LIMIT ?',
  )
  const holder = database.statement<{ attempt: number }>(
    "SELECT attempt FROM runs WHERE run_id = ? AND status = 'running'",
  )
  const settleRun = database.statement(
    'UPDATE runs SET status = ?, error = ?, ended_at = ?, end_position = ?, worker = NULL, lease_until = NULL WHERE run_id = ?',
  )
  const settleThread = database.statement('UPDATE threads SET status = ?, updated_at = ? WHERE thread_id = ?')
  const removeAll = database.statement('DELETE FROM segments WHERE thread_id = ?')
  const removeSome = database.statement(
    'DELETE FROM segments WHERE thread_id = ? AND first >= ? AND last <= ?',
  )

  function lastOf(thread_id: string): number {
    return newest.get(thread_id)?.last ?? 0
  }

  function insertRow(thread_id: string, { first, last, bytes, parts = [] }: NewSegment): void {
    insert.run(thread_id, first, last, bytes)
    index.add(thread_id, parts, first)
  }

  function appendOne(append: Append): boolean {
    const { thread_id, first, last, fence, settle } = append
    if (fence !== undefined && holder.get(fence.run_id)?.attempt !== fence.attempt) return false
    if (last >= first) {
      if (lastOf(thread_id) !== first - 1) return false
      insertRow(thread_id, append)
    }
    if (settle !== undefined && fence !== undefined) {
      const at = new Date(now()).toISOString()
      const error = settle.error === null ? null : JSON.stringify(settle.error)
      settleRun.run(settle.status, error, at, last, fence.run_id)
      settleThread.run(settle.thread_status, at, thread_id)
    }
    return true
  }

  return {
    append: async (appends) => database.transaction(() => appends.map(appendOne)),
    async read(thread_id, after, bytes) {
      const start = startOf.get(thread_id, after + 1)?.first ?? 0
      const found: Segment[] = []
      let size = 0
      let from = start
      // In steps, so that a page of large rows is not read only to be dropped.
      for (let step = 4; size < bytes; step = Math.min(step * 2, 64)) {
        const rows = rowsFrom.all(thread_id, from, after, step)
        for (const row of rows) {
          found.push(row)
          size += row.bytes.length
          from = row.last + 1
          if (size >= bytes) break
        }
        if (rows.length < step) break
      }
      return found
    },
    last: async (thread_id) => lastOf(thread_id),
    async replace(thread_id, first, last, segments) {
      database.transaction(() => {
        // Nothing to replace: the thread was removed meanwhile, and its log must not come back.
        if (removeSome.run(thread_id, first, last) === 0) return
        index.removeBetween(thread_id, first, last)
        for (const segment of segments) insertRow(thread_id, segment)
      })
    },
    async remove(thread_id) {
      database.transaction(() => {
        removeAll.run(thread_id)
        index.remove(thread_id)
      })
    },
    partNames: async (thread_id, last) => index.names(thread_id, last),
    rowsOfParts: async (thread_id, names, bytes) => index.rows(thread_id, names, bytes),
  }
}
