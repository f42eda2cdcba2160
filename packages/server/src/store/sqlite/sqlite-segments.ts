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
  const settleThread = database.statement(
    `UPDATE threads SET status = ?, updated_at = ?, log_bytes = log_bytes + coalesce((SELECT sum(length(bytes)) FROM segments
       WHERE thread_id = ?4 AND first > (SELECT coalesce(position, ?5) FROM runs WHERE run_id = ?3)), 0) WHERE thread_id = ?4`,
  )
  const addBytes = database.statement('UPDATE threads SET log_bytes = log_bytes + ? WHERE thread_id = ?')
  const removeAll = database.statement('DELETE FROM segments WHERE thread_id = ?')
  const covered = database.statement<{ n: number | null; size: number | null }>(
    'SELECT sum(last - first + 1) AS n, sum(length(bytes)) AS size FROM segments WHERE thread_id = ? AND first >= ? AND first <= ? AND last <= ?',
  )
  const removeSome = database.statement(
    'DELETE FROM segments WHERE thread_id = ? AND first >= ? AND first <= ?',
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
      // Those of a run are added once, when it ends.
      if (fence === undefined) addBytes.run(append.bytes.length, thread_id)
    }
    if (settle !== undefined && fence !== undefined) {
      const at = new Date(now()).toISOString()
      const error = settle.error === null ? null : JSON.stringify(settle.error)
      settleRun.run(settle.status, error, at, last, fence.run_id)
      settleThread.run(settle.thread_status, at, fence.run_id, thread_id, last)
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
    replace: async (thread_id, first, last, segments) =>
      database.transaction(() => {
        const found = covered.get(thread_id, first, last, last)
        if (found?.n !== last - first + 1) return false
        removeSome.run(thread_id, first, last)
        index.removeBetween(thread_id, first, last)
        for (const segment of segments) insertRow(thread_id, segment)
        addBytes.run(sizeOf(segments) - (found.size ?? 0), thread_id)
        return true
      }),
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

const sizeOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { bytes }) => sum + bytes.length, 0)
