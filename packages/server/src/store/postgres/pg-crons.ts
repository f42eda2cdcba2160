import { CRON_COLUMNS, cronOf, type CronRow, cronValues } from '../cron-row.ts'
import type { CronStore } from '../store.ts'
import { NOW } from './pg-clock.ts'
import type { Database } from './pg-database.ts'

export function pgCrons(database: Database): CronStore {
  return {
    insert: async (cron) =>
      (await database.run(
        `INSERT INTO clewline.crons (${CRON_COLUMNS})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
        cronValues(cron),
      )) > 0,
    async get(cron_id) {
      const row = await database.one<CronRow>(
        `SELECT ${CRON_COLUMNS} FROM clewline.crons WHERE cron_id = $1`,
        [cron_id],
      )
      return row === undefined ? null : cronOf(row)
    },
    async list(owner, page) {
      const sql = `SELECT ${CRON_COLUMNS} FROM clewline.crons
        WHERE ($1::text IS NULL OR owner = $1) AND ($2::text IS NULL OR (created_at, cron_id) > ($2, $3))
        ORDER BY created_at, cron_id LIMIT $4`
      const { created_at = null, cron_id = null } = page?.after ?? {}
      const rows = await database.all<CronRow>(sql, [owner ?? null, created_at, cron_id, page?.limit ?? null])
      return rows.map(cronOf)
    },
    async count(owner) {
      const sql = 'SELECT count(*) AS n FROM clewline.crons WHERE owner IS NOT DISTINCT FROM $1::text'
      return Number((await database.one<{ n: string }>(sql, [owner]))?.n ?? 0)
    },
    remove: async (cron_id) =>
      (await database.run('DELETE FROM clewline.crons WHERE cron_id = $1', [cron_id])) > 0,
    async due(limit) {
      const sql = `SELECT ${CRON_COLUMNS} FROM clewline.crons WHERE next_at <= ${NOW} ORDER BY next_at LIMIT $1`
      return (await database.all<CronRow>(sql, [limit])).map(cronOf)
    },
    async nextAt() {
      const sql = 'SELECT min(next_at) AS at FROM clewline.crons'
      return (await database.one<{ at: string | null }>(sql))?.at ?? null
    },
    advance: async (cron, next_at, run_id) =>
      (await database.run(
        `UPDATE clewline.crons SET next_at = $3, last_at = ${NOW}, last_run_id = coalesce($4, last_run_id)
         WHERE cron_id = $1 AND next_at = $2`,
        [cron.cron_id, cron.next_at, next_at, run_id],
      )) > 0,
  }
}
