import { CRON_COLUMNS, cronOf, type CronRow, cronValues } from '../cron-row.ts'
import type { CronStore } from '../store.ts'
import type { Database } from './database.ts'

/** To SQLite. */
const NO_LIMIT = -1

/** `now` is the store's clock, in milliseconds. */
export function sqliteCrons(database: Database, now: () => number): CronStore {
  const iso = (): string => new Date(now()).toISOString()

  const insert = database.statement(
    `INSERT OR IGNORE INTO crons (${CRON_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.statement<CronRow>(`SELECT ${CRON_COLUMNS} FROM crons WHERE cron_id = ?`)
  const all = database.statement<CronRow>(
    `SELECT ${CRON_COLUMNS} FROM crons
     WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR (created_at, cron_id) > (?2, ?3))
     ORDER BY created_at, cron_id LIMIT ?4`,
  )
  const count = database.statement<{ n: number }>('SELECT count(*) AS n FROM crons WHERE owner IS ?')
  const due = database.statement<CronRow>(
    `SELECT ${CRON_COLUMNS} FROM crons WHERE next_at <= ? ORDER BY next_at LIMIT ?`,
  )
  const first = database.statement<{ at: string | null }>('SELECT min(next_at) AS at FROM crons')
  const remove = database.statement('DELETE FROM crons WHERE cron_id = ?')
  const advance = database.statement(
    `UPDATE crons SET next_at = ?, last_at = ?, last_run_id = coalesce(?, last_run_id)
     WHERE cron_id = ? AND next_at = ?`,
  )

  return {
    insert: async (cron) => insert.run(...cronValues(cron)) > 0,
    async get(cron_id) {
      const row = one.get(cron_id)
      return row === undefined ? null : cronOf(row)
    },
    async list(owner, { limit, after } = { limit: NO_LIMIT }) {
      return all.all(owner ?? null, after?.created_at ?? null, after?.cron_id ?? null, limit).map(cronOf)
    },
    count: async (owner) => count.get(owner)?.n ?? 0,
    remove: async (cron_id) => remove.run(cron_id) > 0,
    due: async (limit) => due.all(iso(), limit).map(cronOf),
    nextAt: async () => first.get()?.at ?? null,
    advance: async (cron, next_at, run_id) =>
      advance.run(next_at, iso(), run_id, cron.cron_id, cron.next_at) > 0,
  }
}
