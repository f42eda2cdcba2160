import type { ThreadStore } from '../store.ts'
import { likeText, THREAD_COLUMNS, threadOf, type ThreadRow, threadValues } from '../thread-row.ts'
import type { Database, Statement, Value } from './database.ts'
import { STATE_TABLES } from './saver-statements.ts'

export function sqliteThreads(database: Database): ThreadStore {
  const insert = database.statement(
    `INSERT OR IGNORE INTO threads (${THREAD_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.statement<ThreadRow>(`SELECT ${THREAD_COLUMNS} FROM threads WHERE thread_id = ?`)
  const page = database.statement<ThreadRow>(
    `SELECT ${THREAD_COLUMNS} FROM threads
     WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR status = ?2)
       AND (?3 IS NULL OR title LIKE ?3 ESCAPE '\\' OR thread_id LIKE ?3 ESCAPE '\\')
       AND (?4 IS NULL OR (updated_at, thread_id) < (?4, ?5))
     ORDER BY updated_at DESC, thread_id DESC LIMIT ?6`,
  )
  const change = database.statement(
    `UPDATE threads SET title = ?, agent = ?, status = ?, created_at = ?, updated_at = ?, owner = ?, metadata = ?
     WHERE thread_id = ?`,
  )
  const removalsFrom = (tables: readonly string[]): readonly Statement<never>[] =>
    tables.map((table) => database.statement(`DELETE FROM ${table} WHERE thread_id = ?`))
  const stateRemovals = removalsFrom(STATE_TABLES)
  const removals = [
    database.statement<never>(
      'DELETE FROM run_requests WHERE run_id IN (SELECT run_id FROM runs WHERE thread_id = ?)',
    ),
    ...removalsFrom(['threads', 'runs', 'segments', 'parts']),
  ]
  const logBytes = database.statement<{ n: number | null }>(
    'SELECT sum(log_bytes) AS n FROM threads WHERE owner IS ?',
  )

  return {
    insert: async (thread) =>
      database.transaction(() => {
        const isNew = insert.run(thread.thread_id, ...threadValues(thread)) > 0
        if (isNew) for (const removal of stateRemovals) removal.run(thread.thread_id)
        return isNew
      }),
    async get(thread_id) {
      const row = one.get(thread_id)
      return row === undefined ? null : threadOf(row)
    },
    async list({ owner, status, query, before, limit }) {
      const like = query === undefined ? null : likeText(query)
      const cursor: Value[] = before === undefined ? [null, null] : [before.updated_at, before.thread_id]
      return page.all(owner ?? null, status ?? null, like, ...cursor, limit).map(threadOf)
    },
    async update(thread_id, wanted) {
      database.transaction(() => {
        const row = one.get(thread_id)
        if (row !== undefined) change.run(...threadValues({ ...threadOf(row), ...wanted }), thread_id)
      })
    },
    logBytes: async (owner) => logBytes.get(owner)?.n ?? 0,
    async remove(thread_id) {
      database.transaction(() => {
        for (const removal of [...removals, ...stateRemovals]) removal.run(thread_id)
      })
    },
  }
}
