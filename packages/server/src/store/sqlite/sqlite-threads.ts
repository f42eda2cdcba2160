import type { ThreadStore } from '../store.ts'
import { likeText, THREAD_COLUMNS, threadOf, type ThreadRow, threadValues } from '../thread-row.ts'
import type { Database, Value } from './database.ts'

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
  const removals = ['threads', 'runs', 'segments', 'parts'].map((table) =>
    database.statement(`DELETE FROM ${table} WHERE thread_id = ?`),
  )

  return {
    insert: async (thread) => insert.run(thread.thread_id, ...threadValues(thread)) > 0,
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
    async remove(thread_id) {
      database.transaction(() => {
        for (const removal of removals) removal.run(thread_id)
      })
    },
  }
}
