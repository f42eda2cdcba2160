import type { Cron } from './store.ts'

/** A cron as SQL stores hold it. */
export interface CronRow extends Omit<Cron, 'input'> {
  readonly input: string
}

export const CRON_COLUMNS =
  'cron_id, schedule, timezone, thread_id, agent, input, on_overlap, created_at, next_at, last_at, last_run_id, owner'

/** In the order of `CRON_COLUMNS`. */
export function cronValues(cron: Cron): (string | null)[] {
  return [
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
  ]
}

export function cronOf(row: CronRow): Cron {
  return { ...row, input: JSON.parse(row.input) }
}
