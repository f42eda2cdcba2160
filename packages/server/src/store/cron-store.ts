import type { Json } from '@clewline/core'

/** A run that starts again and again. */
export interface Cron {
  readonly cron_id: string
  readonly schedule: string
  readonly timezone: string
  /** Null: a new thread for each tick. */
  readonly thread_id: string | null
  readonly agent: string
  readonly input: Json
  readonly on_overlap: 'skip' | 'enqueue' | 'cancel'
  readonly created_at: string
  readonly next_at: string
  readonly last_at: string | null
  readonly last_run_id: string | null
  readonly owner: string | null
}

export interface CronStore {
  insert(cron: Cron): Promise<boolean>
  get(cron_id: string): Promise<Cron | null>
  list(owner?: string): Promise<readonly Cron[]>
  /** How many crons of one owner there are. */
  count(owner: string | null): Promise<number>
  remove(cron_id: string): Promise<boolean>
  /** Crons whose `next_at` has come. */
  due(): Promise<readonly Cron[]>
  /** Compare and set: moves a cron on from `cron.next_at`. False when another process has. */
  advance(cron: Cron, next_at: string, run_id: string | null): Promise<boolean>
}
