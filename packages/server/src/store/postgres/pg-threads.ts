import type { ThreadStore } from '../store.ts'
import { likeText, THREAD_COLUMNS, threadOf, type ThreadRow, threadValues } from '../thread-row.ts'
import type { Database } from './pg-database.ts'

/** LangGraph's tables, in a schema of their own. */
export const STATE_SCHEMA = 'clewline_checkpoints'
const STATE_TABLES = ['checkpoint_blobs', 'checkpoints', 'checkpoint_writes'].map(
  (table) => `${STATE_SCHEMA}.${table}`,
)

// One statement, so that it costs one round trip: the parts of a WITH are run even if nothing refers to them.
const INSERT = `
  WITH made AS (
    INSERT INTO clewline.threads (${THREAD_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT DO NOTHING RETURNING thread_id
  ), ${STATE_TABLES.map(
    (table, i) => `left_${i} AS (DELETE FROM ${table} WHERE thread_id = $1 AND EXISTS (SELECT 1 FROM made))`,
  ).join(', ')}
  SELECT thread_id FROM made`

export function pgThreads(database: Database): ThreadStore {
  return {
    async insert(thread) {
      const made = await database.one(INSERT, [thread.thread_id, ...threadValues(thread)])
      return made !== undefined
    },
    async get(thread_id) {
      const row = await database.one<ThreadRow>(
        `SELECT ${THREAD_COLUMNS} FROM clewline.threads WHERE thread_id = $1`,
        [thread_id],
      )
      return row === undefined ? null : threadOf(row)
    },
    async list({ owner, status, query, before, limit }) {
      const like = query === undefined ? null : likeText(query)
      const rows = await database.all<ThreadRow>(
        `SELECT ${THREAD_COLUMNS} FROM clewline.threads
         WHERE ($1::text IS NULL OR owner = $1) AND ($2::text IS NULL OR status = $2)
           AND ($3::text IS NULL OR title ILIKE $3 OR thread_id ILIKE $3)
           AND ($4::text IS NULL OR (updated_at, thread_id) < ($4, $5))
         ORDER BY updated_at DESC, thread_id DESC LIMIT $6`,
        [owner ?? null, status ?? null, like, before?.updated_at ?? null, before?.thread_id ?? null, limit],
      )
      return rows.map(threadOf)
    },
    async update(thread_id, wanted) {
      await database.transaction(async (queries) => {
        const sql = `SELECT ${THREAD_COLUMNS} FROM clewline.threads WHERE thread_id = $1 FOR UPDATE`
        const row = await queries.one<ThreadRow>(sql, [thread_id])
        if (row === undefined) return
        await queries.run(
          `UPDATE clewline.threads SET title = $2, agent = $3, status = $4, created_at = $5, updated_at = $6, owner = $7,
             metadata = $8 WHERE thread_id = $1`,
          [thread_id, ...threadValues({ ...threadOf(row), ...wanted })],
        )
      })
    },
    async logBytes(owner) {
      const [where, values] = owner === null ? ['IS NULL', []] : ['= $1', [owner]]
      const sql = `SELECT sum(log_bytes) AS n FROM clewline.threads WHERE owner ${where}`
      return Number((await database.one<{ n: string | null }>(sql, values))?.n ?? 0)
    },
    async remove(thread_id) {
      await database.transaction(async (queries) => {
        // Runs before threads, as when a run ends: the other way round the two could wait for each other.
        const ours = ['runs', 'threads', 'segments', 'parts'].map((table) => `clewline.${table}`)
        for (const table of [...ours, ...STATE_TABLES]) {
          await queries.run(`DELETE FROM ${table} WHERE thread_id = $1`, [thread_id])
        }
      })
    },
  }
}
