import { ownerText, RUN_COLUMNS, runOf, type RunRow, URGENCIES } from '../run-row.ts'
import type { Run, Turn } from '../store.ts'
import type { Database } from './database.ts'

type Claim = (worker: string, leaseMs: number, turn?: Turn) => Run | null

/** A run, with its request. */
export const ONE_RUN = `SELECT ${RUN_COLUMNS.replace('run_id', 'runs.run_id')} FROM runs
  JOIN run_requests ON run_requests.run_id = runs.run_id WHERE runs.run_id = ?`

/** How a run is claimed; `now` is the store's clock. Each step is a step in an index, however many runs wait. */
export function sqliteClaim(database: Database, now: () => number): Claim {
  const iso = (ms: number): string => new Date(ms).toISOString()

  const one = database.statement<RunRow>(ONE_RUN)
  const lost = database.statement<{ run_id: string }>(
    "SELECT run_id FROM runs WHERE status = 'running' AND (lease_until IS NULL OR lease_until <= ?) LIMIT 1",
  )
  const firstOwner = database.statement<{ owner: string }>(
    "SELECT owner FROM runs INDEXED BY runs_turn WHERE status = 'pending' ORDER BY owner LIMIT 1",
  )
  const nextOwner = database.statement<{ owner: string }>(
    "SELECT owner FROM runs INDEXED BY runs_turn WHERE status = 'pending' AND owner > ? ORDER BY owner LIMIT 1",
  )
  // Those that were to begin at once are due whatever has become of the clock; those of a later time when it has come.
  const head = (isDelayed: 0 | 1): string =>
    `SELECT run_id, run_at, rowid AS place FROM runs AS wanted INDEXED BY runs_turn
     WHERE status = 'pending' AND owner = ?1 AND urgency = ?2 AND (run_at > created_at) = ${isDelayed} AND run_at <= ?3
       AND NOT EXISTS (SELECT 1 FROM runs AS busy WHERE busy.thread_id = wanted.thread_id AND busy.status = 'running')
     ORDER BY run_at, rowid LIMIT 1`
  const due = database.statement<{ run_id: string }>(
    `SELECT run_id FROM (SELECT * FROM (${head(0).replace('run_at <= ?3', '?3 IS NOT NULL')})
       UNION ALL SELECT * FROM (${head(1)})) ORDER BY run_at, place LIMIT 1`,
  )
  const take = database.statement(
    `UPDATE runs SET status = 'running', attempt = attempt + 1, crashes = crashes + ?, worker = ?, lease_until = ?,
       started_at = coalesce(started_at, ?) WHERE run_id = ?`,
  )
  const busy = database.statement(
    "UPDATE threads SET status = 'busy', updated_at = ? WHERE thread_id = (SELECT thread_id FROM runs WHERE run_id = ?)",
  )

  /** The owners who wait, each once, beginning after one of them. */
  function* ownersAfter(after: string | undefined): Generator<string> {
    let isRound = after === undefined
    let owner = after === undefined ? firstOwner.get()?.owner : nextOwner.get(after)?.owner
    for (;;) {
      if (owner === undefined) {
        if (isRound) return
        isRound = true
        owner = firstOwner.get()?.owner
        continue
      }
      yield owner
      if (isRound && owner === after) return
      owner = nextOwner.get(owner)?.owner
    }
  }

  function inTurn(at: string, { after, full = [] }: Turn): string | undefined {
    const isFull = new Set(full.map(ownerText))
    for (const owner of ownersAfter(after === undefined ? undefined : ownerText(after))) {
      if (isFull.has(owner)) continue
      for (const urgency of URGENCIES) {
        const found = due.get(owner, urgency, at)
        if (found !== undefined) return found.run_id
      }
    }
    return undefined
  }

  return (worker, leaseMs, turn = {}) =>
    database.transaction(() => {
      const ms = now()
      const at = iso(ms)
      const expired = lost.get(at)?.run_id
      const run_id = expired ?? inTurn(at, turn)
      if (run_id === undefined) return null
      take.run(expired === undefined ? 0 : 1, worker, iso(ms + leaseMs), at, run_id)
      busy.run(at, run_id)
      return one.all(run_id).map(runOf)[0] ?? null
    })
}
