import {
  GIVEN_BACK,
  ownerOf,
  ownerText,
  RUN_COLUMNS,
  runOf,
  type RunRow,
  runValues,
  summaryColumns,
  summaryOf,
  type SummaryRow,
} from '../run-row.ts'
import type { Fence, RunStore } from '../store.ts'
import { NOW, nowPlus } from './pg-clock.ts'
import { pgClaim } from './pg-claim.ts'
import type { Database } from './pg-database.ts'

// Locks in the order of the ids, as an append of several runs does: neither can hold what the other waits for.
const RENEW = `
  WITH mine AS (
    SELECT run_id FROM clewline.runs WHERE worker = $1 AND status = 'running' ORDER BY run_id FOR NO KEY UPDATE
  )
  UPDATE clewline.runs AS run SET lease_until = ${nowPlus('$2')} FROM mine WHERE run.run_id = mine.run_id
  RETURNING run.run_id, run.attempt`

// `json`, not `jsonb`, which takes no text with a NUL in it.
const SUMMARY = summaryColumns("request::json->>'kind'")

export function pgRuns(database: Database): RunStore {
  return {
    insert: async (run) =>
      (await database.run(
        `INSERT INTO clewline.runs (${RUN_COLUMNS}, urgency)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) ON CONFLICT DO NOTHING`,
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
        AND ($2::text IS NULL OR owner = $2)
        ORDER BY run_at, id LIMIT $3`
      return (await database.all<SummaryRow>(sql, [status, owner ?? null, limit])).map(summaryOf)
    },
    async trace(trace_id) {
      const sql = `SELECT ${SUMMARY} FROM clewline.runs WHERE trace_id = $1 ORDER BY created_at, id`
      return (await database.all<SummaryRow>(sql, [trace_id])).map(summaryOf)
    },
    claim: (worker, leaseMs, turn) => pgClaim(database, worker, leaseMs, turn),
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
         WHERE run_id = $1 AND attempt = $2 AND status = 'running' AND position IS NULL`,
        [fence.run_id, fence.attempt, position, base_checkpoint],
      )
    },
    release: async (fence) =>
      (await database.run(
        `UPDATE clewline.runs SET status = 'pending', urgency = ${GIVEN_BACK}, worker = NULL, lease_until = NULL
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
    async pendingOf(owner, atMost) {
      const sql = `SELECT count(*) AS n FROM (
        SELECT 1 FROM clewline.runs WHERE status = 'pending' AND owner = $1 LIMIT $2) AS counted`
      return Number((await database.one<{ n: string }>(sql, [ownerText(owner), atMost]))?.n ?? 0)
    },
    async countByOwner(status, owners) {
      const sql = `SELECT owner, count(*) AS n FROM clewline.runs WHERE status = '${status}'
        GROUP BY owner ORDER BY n DESC, owner LIMIT $1`
      const rows = await database.all<{ owner: string; n: string }>(sql, [owners])
      return rows.map(({ owner, n }) => ({ owner: ownerOf(owner), count: Number(n) }))
    },
  }
}
