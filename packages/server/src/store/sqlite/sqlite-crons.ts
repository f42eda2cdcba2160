import { CRON_COLUMNS, cronOf, type CronRow, cronValues } from '../cron-row.ts'
import type { Crons } from '../store.ts'
import type { Database } from './database.ts'

export function sqliteCrons(database: Database): Crons {
  const insert = database.statement(
    `INSERT OR IGNORE INTO crons (${CRON_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.statement<CronRow>(`SELECT ${CRON_COLUMNS} FROM crons WHERE cron_id = ?`)
  const all = database.statement<CronRow>(
    `SELECT ${CRON_COLUMNS} FROM crons WHERE (?1 IS NULL OR owner = ?1) ORDER BY created_at, cron_id`,
  )
  const due = database.statement<CronRow>(
    `SELECT ${CRON_COLUMNS} FROM crons WHERE next_at <= ? ORDER BY next_at`,
  )
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
    list: async (owner) => all.all(owner ?? null).map(cronOf),
    remove: async (cron_id) => remove.run(cron_id) > 0,
    due: async (now) => due.all(now).map(cronOf),
    advance: async (cron, next_at, run_id, at) =>
      advance.run(next_at, at, run_id, cron.cron_id, cron.next_at) > 0,
  }
}
