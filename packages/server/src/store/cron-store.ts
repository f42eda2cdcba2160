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

/** Where a cron stands in the list. */
export type CronPlace = Pick<Cron, 'created_at' | 'cron_id'>

export interface CronsPage {
  readonly limit: number
  /** Only crons after this one. */
  readonly after?: CronPlace
}

export interface CronStore {
  insert(cron: Cron): Promise<boolean>
  get(cron_id: string): Promise<Cron | null>
  /** The oldest first: those of one owner, or all; a page of them, or the whole list. */
  list(owner?: string, page?: CronsPage): Promise<readonly Cron[]>
  /** How many crons of one owner there are. */
  count(owner: string | null): Promise<number>
  remove(cron_id: string): Promise<boolean>
  /** Crons whose `next_at` has come, the most overdue first, and at most `limit`: their inputs may be large. */
  due(limit: number): Promise<readonly Cron[]>
  /** The earliest `next_at` of all; null when there is no cron. */
  nextAt(): Promise<string | null>
  /** Compare and set: moves a cron on from `cron.next_at`. False when another process has. */
  advance(cron: Cron, next_at: string, run_id: string | null): Promise<boolean>
}
