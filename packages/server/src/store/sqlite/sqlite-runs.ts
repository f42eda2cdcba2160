import {
  GIVEN_BACK,
  ownerOf,
  ownerText,
  RUN_COLUMNS,
  requestText,
  runOf,
  type RunRow,
  runValues,
  summaryOf,
  type SummaryRow,
} from '../run-row.ts'
import type { Fence, RunStore } from '../store.ts'
import type { Database } from './database.ts'
import { ONE_RUN, sqliteClaim } from './sqlite-claim.ts'

/** Without the request, which has a table of its own. */
const SUMMARY = RUN_COLUMNS.replace('request', 'kind')

/** `now` is the store's clock, in milliseconds. */
export function sqliteRuns(database: Database, now: () => number): RunStore {
  const iso = (ms: number): string => new Date(ms).toISOString()

  const insert = database.statement(
    `INSERT OR IGNORE INTO runs (${SUMMARY}, urgency)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertRequest = database.statement('INSERT INTO run_requests (run_id, request) VALUES (?, ?)')
  const one = database.statement<RunRow>(ONE_RUN)
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
       AND (?2 IS NULL OR owner = ?2) ORDER BY run_at, rowid LIMIT ?3`,
  )
  const takeOver = database.statement(
    `UPDATE runs SET attempt = attempt + 1, worker = ?, lease_until = ?
     WHERE run_id = ? AND attempt = ? AND status = 'running'`,
  )
  const prolong = database.statement(
    "UPDATE runs SET lease_until = ? WHERE worker = ? AND status = 'running'",
  )
  const held = database.statement<Fence>(
    "SELECT run_id, attempt FROM runs WHERE worker = ? AND status = 'running'",
  )
  const begin = database.statement(
    `UPDATE runs SET position = ?, base_checkpoint = ?
     WHERE run_id = ? AND attempt = ? AND status = 'running' AND position IS NULL`,
  )
  const release = database.statement(
    `UPDATE runs SET status = 'pending', urgency = ${GIVEN_BACK}, worker = NULL, lease_until = NULL
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
  const pendingOf = database.statement<{ n: number }>(
    "SELECT count(*) AS n FROM (SELECT 1 FROM runs WHERE status = 'pending' AND owner = ? LIMIT ?)",
  )
  const byOwner = (status: 'pending' | 'running') =>
    database.statement<{ owner: string; n: number }>(
      `SELECT owner, count(*) AS n FROM runs WHERE status = '${status}' GROUP BY owner ORDER BY n DESC, owner LIMIT ?`,
    )
  // Two statements: a partial index is used only where the status is written out.
  const counts = { pending: byOwner('pending'), running: byOwner('running') }
  const claim = sqliteClaim(database, now)
  const pending = database.statement<{ n: number }>("SELECT count(*) AS n FROM runs WHERE status = 'pending'")

  return {
    insert: async (run) =>
      database.transaction(() => {
        const isNew = insert.run(...runValues(run, run.request.kind)) > 0
        if (isNew) insertRequest.run(run.run_id, requestText(run.request))
        return isNew
      }),
    get: async (run_id) => one.all(run_id).map(runOf)[0] ?? null,
    list: async (thread_id, limit) => ofThread.all(thread_id, limit).map(summaryOf),
    active: async (thread_id) => activeOf.all(thread_id).map(summaryOf),
    trace: async (trace_id) => ofTrace.all(trace_id).map(summaryOf),
    claim: async (worker, leaseMs, turn) => claim(worker, leaseMs, turn),
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
    pendingOf: async (owner, atMost) => pendingOf.get(ownerText(owner), atMost)?.n ?? 0,
    countByOwner: async (status, owners) =>
      counts[status].all(owners).map(({ owner, n }) => ({ owner: ownerOf(owner), count: n })),
  }
}
