import { RUN_COLUMNS, runOf, type RunRow, runValues } from '../run-row.ts'
import type { Fence, Run, Runs } from '../store.ts'
import { codeOf, type Database } from './pg-database.ts'

// What a lost lease leaves behind goes first, then what a drained worker gave back: those threads are in the middle of a run.
// A run that was to begin at once is due whatever has become of the clock.
// SKIP LOCKED lets workers pass each other instead of queueing up behind one row.
const CLAIM = `
  UPDATE clewline.runs SET status = 'running', attempt = attempt + 1,
    crashes = crashes + CASE WHEN status = 'running' THEN 1 ELSE 0 END, worker = $1, lease_until = $3,
    started_at = coalesce(started_at, $2)
  WHERE run_id = (
    SELECT run_id FROM clewline.runs AS wanted
    WHERE (status = 'running' AND (lease_until IS NULL OR lease_until <= $2))
       OR (status = 'pending' AND (run_at <= $2 OR run_at = created_at) AND NOT EXISTS (
            SELECT 1 FROM clewline.runs AS busy WHERE busy.thread_id = wanted.thread_id AND busy.status = 'running'))
    ORDER BY status DESC, attempt DESC, run_at, id LIMIT 1
    FOR UPDATE SKIP LOCKED)
  RETURNING ${RUN_COLUMNS}`

// Locks in the order of the ids, as an append of several runs does: neither can hold what the other waits for.
const RENEW = `
  WITH mine AS (
    SELECT run_id FROM clewline.runs WHERE worker = $1 AND status = 'running' ORDER BY run_id FOR NO KEY UPDATE
  )
  UPDATE clewline.runs AS run SET lease_until = $2 FROM mine WHERE run.run_id = mine.run_id
  RETURNING run.run_id, run.attempt`

const UNIQUE_VIOLATION = '23505'

export function pgRuns(database: Database): Runs {
  async function claim(worker: string, now: string, lease_until: string): Promise<Run | null> {
    return database.transaction(async (queries) => {
      const row = await queries.one<RunRow>(CLAIM, [worker, now, lease_until])
      if (row === undefined) return null
      await queries.run("UPDATE clewline.threads SET status = 'busy', updated_at = $2 WHERE thread_id = $1", [
        row.thread_id,
        now,
      ])
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
      const sql = `SELECT ${RUN_COLUMNS} FROM clewline.runs WHERE thread_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`
      return (await database.all<RunRow>(sql, [thread_id, limit])).map(runOf)
    },
    async active(thread_id) {
      const sql = `SELECT ${RUN_COLUMNS} FROM clewline.runs
        WHERE thread_id = $1 AND status IN ('pending', 'running') ORDER BY created_at, id`
      return (await database.all<RunRow>(sql, [thread_id])).map(runOf)
    },
    async unfinished(status, limit, owner) {
      const sql = `SELECT ${RUN_COLUMNS} FROM clewline.runs WHERE status = $1
        AND ($2::text IS NULL OR thread_id IN (SELECT thread_id FROM clewline.threads WHERE owner = $2))
        ORDER BY run_at, id LIMIT $3`
      return (await database.all<RunRow>(sql, [status, owner ?? null, limit])).map(runOf)
    },
    async trace(trace_id) {
      const sql = `SELECT ${RUN_COLUMNS} FROM clewline.runs WHERE trace_id = $1 ORDER BY created_at, id`
      return (await database.all<RunRow>(sql, [trace_id])).map(runOf)
    },
    async claim(worker, now, lease_until) {
      for (;;) {
        try {
          return await claim(worker, now, lease_until)
        } catch (error) {
          // Two workers took two runs of one thread at the same moment; the index let one of them have it.
          if (codeOf(error) !== UNIQUE_VIOLATION) throw error
        }
      }
    },
    async renew(worker, lease_until) {
      return database.all<Fence>(RENEW, [worker, lease_until])
    },
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
    async abandon(fence) {
      await database.run(
        `UPDATE clewline.runs SET worker = NULL, lease_until = NULL
         WHERE run_id = $1 AND attempt = $2 AND status = 'running'`,
        [fence.run_id, fence.attempt],
      )
    },
    cancelPending: async (run_id, at) =>
      (await database.run(
        "UPDATE clewline.runs SET status = 'cancelled', ended_at = $2 WHERE run_id = $1 AND status = 'pending'",
        [run_id, at],
      )) > 0,
    // Other processes may hold leases here: they run out by themselves.
    orphan: async () => 0,
    async nextDue(after) {
      const row = await database.one<{ run_at: string | null }>(
        "SELECT min(run_at) AS run_at FROM clewline.runs WHERE status = 'pending' AND run_at > $1",
        [after],
      )
      return row?.run_at ?? null
    },
    async whole(before, limit) {
      const sql = `SELECT ${RUN_COLUMNS} FROM clewline.runs WHERE NOT compacted AND ended_at <= $1 AND end_position IS NOT NULL
        AND status IN ('success', 'error', 'cancelled') ORDER BY ended_at LIMIT $2`
      return (await database.all<RunRow>(sql, [before, limit])).map(runOf)
    },
    async compacted(run_id) {
      await database.run('UPDATE clewline.runs SET compacted = true WHERE run_id = $1', [run_id])
    },
    async pending() {
      const sql = "SELECT count(*) AS n FROM clewline.runs WHERE status = 'pending'"
      return Number((await database.one<{ n: string }>(sql))?.n ?? 0)
    },
  }
}
