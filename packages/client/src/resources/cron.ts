import type { Json } from '@clewline/core'
import * as z from 'zod/mini'
import { json, list } from './json-schema.ts'

/** A schedule that starts runs. Times are ISO 8601. */
export interface Cron {
  readonly cron_id: string
  readonly schedule: string
  readonly timezone: string
  /** Null: a new thread for each tick. */
  readonly thread_id: string | null
  readonly agent: string
  readonly input: Json
  /** What a tick does while the run of an earlier one goes on. */
  readonly on_overlap: 'skip' | 'enqueue' | 'cancel'
  readonly created_at: string
  readonly next_at: string
  readonly last_at: string | null
  readonly last_run_id: string | null
}

/** One page of crons, the oldest first. */
export interface CronPage {
  readonly crons: readonly Cron[]
  /** Cursor for `after`; null on the last page. */
  readonly next: string | null
}

export interface CreateCron {
  /** Minute, hour, day of month, month, day of week. */
  readonly schedule: string
  /** For example Europe/Vienna. Default UTC. */
  readonly timezone?: string
  /** Default: a new thread for each tick. */
  readonly thread?: string
  readonly agent: string
  readonly input: Json
  /** Default `skip`. */
  readonly on_overlap?: Cron['on_overlap']
}

const text = z.string()

export const cronSchema: z.ZodMiniType<Cron> = z.object({
  cron_id: text,
  schedule: text,
  timezone: text,
  thread_id: z.nullable(text),
  agent: text,
  input: json,
  on_overlap: z.enum(['skip', 'enqueue', 'cancel']),
  created_at: text,
  next_at: text,
  last_at: z.nullable(text),
  last_run_id: z.nullable(text),
})

export const cronPageSchema: z.ZodMiniType<CronPage> = z.object({
  crons: list(cronSchema),
  // Servers from before pages send all of them.
  next: z._default(z.nullable(text), null),
})
