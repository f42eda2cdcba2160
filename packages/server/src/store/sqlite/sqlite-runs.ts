import {
  RUN_COLUMNS,
  runOf,
  type RunRow,
  runValues,
  summaryColumns,
  summaryOf,
  type SummaryRow,
} from '../run-row.ts'
import type { Fence, RunStore } from '../store.ts'
import type { Database } from './database.ts'

const SUMMARY = summaryColumns("json_extract(request, '$.kind')")

/** `now` is the store's clock, in milliseconds. */
export function sqliteRuns(database: Database, now: () => number): RunStore {
  const iso = (ms: number): string => new Date(ms).toISOString()

  const insert = database.statement(
    `INSERT OR IGNORE INTO runs (${RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.statement<RunRow>(`SELECT ${RUN_COLUMNS} FROM runs WHERE run_id = ?`)
  const ofThread = database.statement<SummaryRow>(
    `SELECT ${SUMMARY} FROM runs WHERE thread_id = ? ORDER BY created_at DESC, rowid DESC LIMIT ?`,
  )
  const ofTrace = database.statement<SummaryRow>(
    `SELECT ${SUMMARY} FROM runs WHERE trace_id = ? ORDER BY created_at, rowid`,
  )
  const activeOf = database.statement<SummaryRow>(
    `SELECT ${SUMMARY} FROM runs WHERE thread_id = ? AND status IN ('pending', 'running') ORDER BY created_at, rowid`,
  )
  const unfinished = database.statement<SummaryRow>(
    `SELECT ${SUMMARY} FROM runs WHERE status = ?1
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
  const takeOver = database.statement(
    `UPDATE runs SET attempt = attempt + 1, worker = ?, lease_until = ?
     WHERE run_id = ? AND attempt = ? AND status = 'running'`,
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
  const expire = database.statement(
    "UPDATE runs SET worker = NULL, lease_until = ? WHERE run_id = ? AND attempt = ? AND status = 'running'",
  )
  const resetCrashes = database.statement(
    "UPDATE runs SET crashes = 0 WHERE run_id = ? AND attempt = ? AND status = 'running'",
  )
  const seize = database.statement(
    `UPDATE runs SET attempt = attempt + 1, worker = ?, lease_until = ? WHERE run_id = ? AND status = 'running'
       AND (worker IS NULL OR lease_until IS NULL OR lease_until <= ?)`,
  )
  const cancel = database.statement(
    "UPDATE runs SET status = 'cancelled', ended_at = ? WHERE run_id = ? AND status = 'pending'",
  )
  const expireAll = database.statement("UPDATE runs SET lease_until = NULL WHERE status = 'running'")
  const next = database.statement<{ run_at: string | null }>(
    `SELECT min(run_at) AS run_at FROM (
       SELECT min(run_at) AS run_at FROM runs WHERE status = 'pending' AND run_at > ?1
       UNION ALL
       SELECT min(lease_until) FROM runs WHERE status = 'running' AND worker IS NULL AND lease_until > ?1)`,
  )
  const uncompacted = database.statement<SummaryRow>(
    `SELECT ${SUMMARY} FROM runs WHERE compacted = 0 AND ended_at <= ? AND end_position IS NOT NULL
       AND status IN ('success', 'error', 'cancelled') ORDER BY ended_at LIMIT ?`,
  )
  const markCompacted = database.statement('UPDATE runs SET compacted = 1 WHERE run_id = ?')
  const pending = database.statement<{ n: number }>("SELECT count(*) AS n FROM runs WHERE status = 'pending'")

  return {
    insert: async (run) => insert.run(...runValues(run)) > 0,
    get: async (run_id) => one.all(run_id).map(runOf)[0] ?? null,
    list: async (thread_id, limit) => ofThread.all(thread_id, limit).map(summaryOf),
    active: async (thread_id) => activeOf.all(thread_id).map(summaryOf),
    trace: async (trace_id) => ofTrace.all(trace_id).map(summaryOf),
    claim: async (worker, leaseMs) =>
      database.transaction(() => {
        const ms = now()
        const at = iso(ms)
        const expired = lost.get(at)
        const row = expired ?? due.get(at)
        if (row === undefined) return null
        take.run(expired === undefined ? 0 : 1, worker, iso(ms + leaseMs), at, row.run_id)
        busy.run(at, row.thread_id)
        return one.all(row.run_id).map(runOf)[0] ?? null
      }),
    async takeOver({ run_id, attempt }, worker, leaseMs) {
      const isTaken = takeOver.run(worker, iso(now() + leaseMs), run_id, attempt) > 0
      return isTaken ? (one.all(run_id).map(runOf)[0] ?? null) : null
    },
    async renew(worker, leaseMs) {
      prolong.run(iso(now() + leaseMs), worker)
      return held.all(worker)
    },
    async begin(fence, position, base_checkpoint) {
      begin.run(position, base_checkpoint, fence.run_id, fence.attempt)
    },
    release: async (fence) => release.run(fence.run_id, fence.attempt) > 0,
    async expireLease(fence, afterMs = 0) {
      expire.run(afterMs === 0 ? null : iso(now() + afterMs), fence.run_id, fence.attempt)
    },
    async resetCrashes(fence) {
      resetCrashes.run(fence.run_id, fence.attempt)
    },
    async seize(run_id, worker, leaseMs) {
      const ms = now()
      const isSeized = seize.run(worker, iso(ms + leaseMs), run_id, iso(ms)) > 0
      return isSeized ? (one.all(run_id).map(runOf)[0] ?? null) : null
    },
    expireAllLeases: async () => expireAll.run(),
    cancelPending: async (run_id) => cancel.run(iso(now()), run_id) > 0,
    unfinished: async (status, limit, owner) => unfinished.all(status, owner ?? null, limit).map(summaryOf),
    async nextDue() {
      const ms = now()
      const run_at = next.get(iso(ms))?.run_at ?? null
      return run_at === null ? null : Date.parse(run_at) - ms
    },
    dueForCompaction: async (afterMs, limit) => uncompacted.all(iso(now() - afterMs), limit).map(summaryOf),
    async markCompacted(run_id) {
      markCompacted.run(run_id)
    },
    pending: async () => pending.get()?.n ?? 0,
  }
}
