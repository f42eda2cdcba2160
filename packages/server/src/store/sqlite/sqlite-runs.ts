import { RUN_COLUMNS, runOf, type RunRow, runValues } from '../run-row.ts'
import type { Fence, Runs } from '../store.ts'
import type { Database } from './database.ts'

export function sqliteRuns(database: Database): Runs {
  const insert = database.statement(
    `INSERT OR IGNORE INTO runs (${RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.statement<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`)
  const ofThread = database.statement<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs WHERE thread_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ?`,
  )
  const ofTrace = database.statement<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs WHERE trace_id = ? ORDER BY created_at, rowid`,
  )
  const activeOf = database.statement<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs WHERE thread_id = ? AND status IN ('pending', 'running') ORDER BY created_at, rowid`,
  )
  const unfinished = database.statement<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs WHERE status = ?1
       AND (?2 IS NULL OR thread_id IN (SELECT thread_id FROM threads WHERE owner = ?2)) ORDER BY run_at, rowid LIMIT ?3`,
  )
  const lost = database.statement<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs WHERE status = 'running' AND (lease_until IS NULL OR lease_until <= ?) LIMIT 1`,
  )
  // A run that was to begin at once is due whatever has become of the clock.
  // A run given back by a drained worker has an attempt behind it and goes first: its thread is in the middle of it.
  const due = database.statement<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs AS wanted WHERE status = 'pending' AND (run_at <= ? OR run_at = created_at)
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
    "SELECT min(run_at) AS run_at FROM runs WHERE status = 'pending' AND run_at > ?",
  )
  const whole = database.statement<RunRow>(
    `SELECT ${RUN_COLUMNS} FROM runs WHERE compacted = 0 AND ended_at <= ? AND end_position IS NOT NULL
       AND status IN ('success', 'error', 'cancelled') ORDER BY ended_at LIMIT ?`,
  )
  const compacted = database.statement('UPDATE runs SET compacted = 1 WHERE run_id = ?')
  const pending = database.statement<{ n: number }>("SELECT count(*) AS n FROM runs WHERE status = 'pending'")

  return {
    insert: async (run) => insert.run(...runValues(run)) > 0,
    get: async (run_id) => one.all(run_id).map(runOf)[0] ?? null,
    list: async (thread_id, limit) => ofThread.all(thread_id, limit).map(runOf),
    active: async (thread_id) => activeOf.all(thread_id).map(runOf),
    trace: async (trace_id) => ofTrace.all(trace_id).map(runOf),
    claim: async (worker, now, lease_until) =>
      database.transaction(() => {
        const orphaned = lost.get(now)
        const row = orphaned ?? due.get(now)
        if (row === undefined) return null
        take.run(orphaned === undefined ? 0 : 1, worker, lease_until, now, row.run_id)
        busy.run(now, row.thread_id)
        return one.all(row.run_id).map(runOf)[0] ?? null
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
    unfinished: async (status, limit, owner) => unfinished.all(status, owner ?? null, limit).map(runOf),
    nextDue: async (after) => next.get(after)?.run_at ?? null,
    whole: async (before, limit) => whole.all(before, limit).map(runOf),
    async compacted(run_id) {
      compacted.run(run_id)
    },
    pending: async () => pending.get()?.n ?? 0,
  }
}
