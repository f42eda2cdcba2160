import type { Cron, Crons } from '../store.ts'
import type { Database } from './database.ts'

interface Row extends Omit<Cron, 'input'> {
  input: string
}

const COLUMNS =
  'cron_id, schedule, timezone, thread_id, agent, input, on_overlap, created_at, next_at, last_at, last_run_id, owner'

export function sqliteCrons(database: Database): Crons {
  const insert = database.statement(
    `INSERT OR IGNORE INTO crons (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const one = database.statement<Row>(`SELECT ${COLUMNS} FROM crons WHERE cron_id = ?`)
  const all = database.statement<Row>(
    `SELECT ${COLUMNS} FROM crons WHERE (?1 IS NULL OR owner = ?1) ORDER BY created_at, cron_id`,
  )
  const due = database.statement<Row>(`SELECT ${COLUMNS} FROM crons WHERE next_at <= ? ORDER BY next_at`)
  const remove = database.statement('DELETE FROM crons WHERE cron_id = ?')
  const advance = database.statement(
    `UPDATE crons SET next_at = ?, last_at = ?, last_run_id = coalesce(?, last_run_id)
     WHERE cron_id = ? AND next_at = ?`,
  )

  return {
    insert: async (cron) =>
      insert.run(
        cron.cron_id,
        cron.schedule,
        cron.timezone,
        cron.thread_id,
        cron.agent,
        JSON.stringify(cron.input),
        cron.on_overlap,
        cron.created_at,
        cron.next_at,
        cron.last_at,
        cron.last_run_id,
        cron.owner,
      ) > 0,
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

function cronOf(row: Row): Cron {
  return { ...row, input: JSON.parse(row.input) }
}
