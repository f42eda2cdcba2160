import {
  RUN_COLUMNS,
  runOf,
  type RunRow,
  runValues,
  summaryColumns,
  summaryOf,
  type SummaryRow,
} from '../run-row.ts'
import type { Fence, Run, RunStore } from '../store.ts'
import { NOW, nowPlus } from './pg-clock.ts'
import { codeOf, type Database } from './pg-database.ts'

// What an expired lease leaves behind goes first, then what a drained worker gave back: those threads are in the middle of a run.
// A run that was to begin at once is due even when the clock was set back.
// SKIP LOCKED lets workers pass each other instead of queueing up behind one row.
const CLAIM = `
  UPDATE clewline.runs SET status = 'running', attempt = attempt + 1,
    crashes = crashes + CASE WHEN status = 'running' THEN 1 ELSE 0 END, worker = $1,
    lease_until = ${nowPlus('$2')}, started_at = coalesce(started_at, ${NOW})
  WHERE run_id = (
    SELECT run_id FROM clewline.runs AS wanted
    WHERE (status = 'running' AND (lease_until IS NULL OR lease_until <= ${NOW}))
       OR (status = 'pending' AND (run_at <= ${NOW} OR run_at = created_at) AND NOT EXISTS (
            SELECT 1 FROM clewline.runs AS busy WHERE busy.thread_id = wanted.thread_id AND busy.status = 'running'))
    ORDER BY status DESC, attempt DESC, run_at, id LIMIT 1
    FOR UPDATE SKIP LOCKED)
  RETURNING ${RUN_COLUMNS}`

// Locks in the order of the ids, as an append of several runs does: neither can hold what the other waits for.
const RENEW = `
  WITH mine AS (
    SELECT run_id FROM clewline.runs WHERE worker = $1 AND status = 'running' ORDER BY run_id FOR NO KEY UPDATE
  )
  UPDATE clewline.runs AS run SET lease_until = ${nowPlus('$2')} FROM mine WHERE run.run_id = mine.run_id
  RETURNING run.run_id, run.attempt`

// `json`, not `jsonb`, which takes no text with a NUL in it.
const SUMMARY = summaryColumns("request::json->>'kind'")

const UNIQUE_VIOLATION = '23505'

export function pgRuns(database: Database): RunStore {
  async function claim(worker: string, leaseMs: number): Promise<Run | null> {
    return database.transaction(async (queries) => {
      const row = await queries.one<RunRow>(CLAIM, [worker, leaseMs])
      if (row === undefined) return null
      await queries.run(
        `UPDATE clewline.threads SET status = 'busy', updated_at = ${NOW} WHERE thread_id = $1`,
        [row.thread_id],
      )
      return runOf(row)
    })
  }

  return {
    insert: async (run) =>
      (await database.run(
        `INSERT INTO clewline.runs (${RUN_COLUMNS})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING`,
        runValues(run),
      )) > 0,
    async get(run_id) {
      const row = await database.one<RunRow>(`SELECT ${RUN_COLUMNS} FROM clewline.runs WHERE run_id = $1`, [
        run_id,
      ])
      return row === undefined ? null : runOf(row)
    },
    async list(thread_id, limit) {
      const sql = `SELECT ${SUMMARY} FROM clewline.runs WHERE thread_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`
      return (await database.all<SummaryRow>(sql, [thread_id, limit])).map(summaryOf)
    },
    async active(thread_id) {
      const sql = `SELECT ${SUMMARY} FROM clewline.runs
        WHERE thread_id = $1 AND status IN ('pending', 'running') ORDER BY created_at, id`
      return (await database.all<SummaryRow>(sql, [thread_id])).map(summaryOf)
    },
    async unfinished(status, limit, owner) {
      const sql = `SELECT ${SUMMARY} FROM clewline.runs WHERE status = $1
        AND ($2::text IS NULL OR thread_id IN (SELECT thread_id FROM clewline.threads WHERE owner = $2))
        ORDER BY run_at, id LIMIT $3`
      return (await database.all<SummaryRow>(sql, [status, owner ?? null, limit])).map(summaryOf)
    },
    async trace(trace_id) {
      const sql = `SELECT ${SUMMARY} FROM clewline.runs WHERE trace_id = $1 ORDER BY created_at, id`
      return (await database.all<SummaryRow>(sql, [trace_id])).map(summaryOf)
    },
    async claim(worker, leaseMs) {
      for (;;) {
        try {
          return await claim(worker, leaseMs)
        } catch (error) {
          // Two workers took two runs of one thread at the same moment; the index let one of them have it.
          if (codeOf(error) !== UNIQUE_VIOLATION) throw error
        }
      }
    },
    async takeOver({ run_id, attempt }, worker, leaseMs) {
      const row = await database.one<RunRow>(
        `UPDATE clewline.runs SET attempt = attempt + 1, worker = $3, lease_until = ${nowPlus('$4')}
         WHERE run_id = $1 AND attempt = $2 AND status = 'running' RETURNING ${RUN_COLUMNS}`,
        [run_id, attempt, worker, leaseMs],
      )
      return row === undefined ? null : runOf(row)
    },
    renew: (worker, leaseMs) => database.all<Fence>(RENEW, [worker, leaseMs]),
    async begin(fence, position, base_checkpoint) {
      await database.run(
        `UPDATE clewline.runs SET position = $3, base_checkpoint = $4
         WHERE run_id = $1 AND attempt = $2 AND status = 'running'`,
        [fence.run_id, fence.attempt, position, base_checkpoint],
      )
    },
    release: async (fence) =>
      (await database.run(
        `UPDATE clewline.runs SET status = 'pending', worker = NULL, lease_until = NULL
         WHERE run_id = $1 AND attempt = $2 AND status = 'running'`,
        [fence.run_id, fence.attempt],
      )) > 0,
    async expireLease(fence, afterMs = 0) {
      await database.run(
        `UPDATE clewline.runs SET worker = NULL, lease_until = ${nowPlus('$3')}
         WHERE run_id = $1 AND attempt = $2 AND status = 'running'`,
        [fence.run_id, fence.attempt, afterMs],
      )
    },
    async resetCrashes(fence) {
      await database.run(
        "UPDATE clewline.runs SET crashes = 0 WHERE run_id = $1 AND attempt = $2 AND status = 'running'",
        [fence.run_id, fence.attempt],
      )
    },
    async seize(run_id, worker, leaseMs) {
      const row = await database.one<RunRow>(
        `UPDATE clewline.runs SET attempt = attempt + 1, worker = $2, lease_until = ${nowPlus('$3')}
         WHERE run_id = $1 AND status = 'running'
           AND (worker IS NULL OR lease_until IS NULL OR lease_until <= ${NOW})
         RETURNING ${RUN_COLUMNS}`,
        [run_id, worker, leaseMs],
      )
      return row === undefined ? null : runOf(row)
    },
    expireAllLeases: () =>
      database.run("UPDATE clewline.runs SET lease_until = NULL WHERE status = 'running'"),
    cancelPending: async (run_id) =>
      (await database.run(
        `UPDATE clewline.runs SET status = 'cancelled', ended_at = ${NOW} WHERE run_id = $1 AND status = 'pending'`,
        [run_id],
      )) > 0,
    async nextDue() {
      const row = await database.one<{ wait: number | null }>(
        `SELECT (extract(epoch FROM min(at)::timestamptz - now()) * 1000)::float8 AS wait FROM (
           SELECT min(run_at) AS at FROM clewline.runs WHERE status = 'pending' AND run_at > ${NOW}
           UNION ALL
           SELECT min(lease_until) FROM clewline.runs
           WHERE status = 'running' AND worker IS NULL AND lease_until > ${NOW}) AS due`,
      )
      return row?.wait ?? null
    },
    async dueForCompaction(afterMs, limit) {
      const sql = `SELECT ${SUMMARY} FROM clewline.runs WHERE NOT compacted AND ended_at <= ${nowPlus('$1')}
        AND end_position IS NOT NULL AND status IN ('success', 'error', 'cancelled') ORDER BY ended_at LIMIT $2`
      return (await database.all<SummaryRow>(sql, [-afterMs, limit])).map(summaryOf)
    },
    async markCompacted(run_id) {
      await database.run('UPDATE clewline.runs SET compacted = true WHERE run_id = $1', [run_id])
    },
    async pending() {
      const sql = "SELECT count(*) AS n FROM clewline.runs WHERE status = 'pending'"
      return Number((await database.one<{ n: string }>(sql))?.n ?? 0)
    },
  }
}
