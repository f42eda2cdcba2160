import type { Fence, Request, Run, RunError, Runs, RunStatus } from '../store.ts'
import type { Database } from './database.ts'

interface Row extends Omit<Run, 'request' | 'error'> {
  request: string
  error: string | null
}

const COLUMNS =
  'run_id, thread_id, trace_id, agent, status, request, attempt, created_at, started_at, ended_at, run_at, cron_id, error, crashes, position, end_position, base_checkpoint'

export function sqliteRuns(database: Database): Runs {
  const insert = database.statement(
    `INSERT OR IGNORE INTO runs (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.statement<Row>(`SELECT ${COLUMNS} FROM runs WHERE run_id = ?`)
  const ofThread = database.statement<Row>(
    `SELECT ${COLUMNS} FROM runs WHERE thread_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ?`,
  )
  const ofTrace = database.statement<Row>(
    `SELECT ${COLUMNS} FROM runs WHERE trace_id = ? ORDER BY created_at, rowid`,
  )
  const activeOf = database.statement<Row>(
    `SELECT ${COLUMNS} FROM runs WHERE thread_id = ? AND status IN ('pending', 'running') ORDER BY created_at, rowid`,
  )
  const lost = database.statement<Row>(
    `SELECT ${COLUMNS} FROM runs WHERE status = 'running' AND (lease_until IS NULL OR lease_until <= ?) LIMIT 1`,
  )
  // A run given back by a drained worker has an attempt behind it and goes first: its thread is in the middle of it.
  const due = database.statement<Row>(
    `SELECT ${COLUMNS} FROM runs AS wanted WHERE status = 'pending' AND run_at <= ?
       AND NOT EXISTS (SELECT 1 FROM runs AS busy WHERE busy.thread_id = wanted.thread_id AND busy.status = 'running')
     ORDER BY attempt DESC, run_at, rowid LIMIT 1`,
  )
  const take = database.statement(
    `UPDATE runs SET status = 'running', attempt = attempt + 1, crashes = crashes + ?, worker = ?, lease_until = ?,
       started_at = coalesce(started_at, ?) WHERE run_id = ?`,
  )
  const busy = database.statement("UPDATE threads SET status = 'busy', updated_at = ? WHERE thread_id = ?")
  const prolong = database.statement(
    "UPDATE runs SET lease_until = ? WHERE worker = ? AND status = 'running'",
  )
  const held = database.statement<Fence>(
    "SELECT run_id, attempt FROM runs WHERE worker = ? AND status = 'running'",
  )
  const begin = database.statement(
    "UPDATE runs SET position = ?, base_checkpoint = ? WHERE run_id = ? AND attempt = ? AND status = 'running'",
  )
  const release = database.statement(
    `UPDATE runs SET status = 'pending', worker = NULL, lease_until = NULL
     WHERE run_id = ? AND attempt = ? AND status = 'running'`,
  )
  const abandon = database.statement(
    "UPDATE runs SET worker = NULL, lease_until = NULL WHERE run_id = ? AND attempt = ? AND status = 'running'",
  )
  const cancel = database.statement(
    "UPDATE runs SET status = 'cancelled', ended_at = ? WHERE run_id = ? AND status = 'pending'",
  )
  const orphan = database.statement("UPDATE runs SET lease_until = NULL WHERE status = 'running'")
  const next = database.statement<{ run_at: string | null }>(
    "SELECT min(run_at) AS run_at FROM runs WHERE status = 'pending'",
  )
  const counts = database.statement<{ status: RunStatus; n: number }>(
    'SELECT status, count(*) AS n FROM runs GROUP BY status',
  )

  return {
    insert: async (run) =>
      insert.run(
        run.run_id,
        run.thread_id,
        run.trace_id,
        run.agent,
        run.status,
        JSON.stringify(run.request),
        run.attempt,
        run.created_at,
        run.started_at,
        run.ended_at,
        run.run_at,
        run.cron_id,
        run.error === null ? null : JSON.stringify(run.error),
        run.crashes,
        run.position,
        run.end_position,
        run.base_checkpoint,
      ) > 0,
    get: async (run_id) => runOf(one.get(run_id)),
    list: async (thread_id, limit) => ofThread.all(thread_id, limit).flatMap(runsOf),
    active: async (thread_id) => activeOf.all(thread_id).flatMap(runsOf),
    trace: async (trace_id) => ofTrace.all(trace_id).flatMap(runsOf),
    claim: async (worker, now, lease_until) =>
      database.transaction(() => {
        const orphaned = lost.get(now)
        const row = orphaned ?? due.get(now)
        if (row === undefined) return null
        take.run(orphaned === undefined ? 0 : 1, worker, lease_until, now, row.run_id)
        busy.run(now, row.thread_id)
        return runOf(one.get(row.run_id))
      }),
    async renew(worker, lease_until) {
      prolong.run(lease_until, worker)
      return held.all(worker)
    },
    async begin(fence, position, base_checkpoint) {
      begin.run(position, base_checkpoint, fence.run_id, fence.attempt)
    },
    release: async (fence) => release.run(fence.run_id, fence.attempt) > 0,
    async abandon(fence) {
      abandon.run(fence.run_id, fence.attempt)
    },
    cancelPending: async (run_id, at) => cancel.run(at, run_id) > 0,
    orphan: async () => orphan.run(),
    nextDue: async () => next.get()?.run_at ?? null,
    async counts() {
      const found = { pending: 0, running: 0, success: 0, error: 0, interrupted: 0, cancelled: 0 }
      for (const { status, n } of counts.all()) found[status] = n
      return found
    },
  }
}

function runsOf(row: Row): Run[] {
  const run = runOf(row)
  return run === null ? [] : [run]
}

function runOf(row: Row | undefined): Run | null {
  if (row === undefined) return null
  const request: Request = JSON.parse(row.request)
  const error: RunError | null = row.error === null ? null : JSON.parse(row.error)
  return { ...row, request, error }
}
