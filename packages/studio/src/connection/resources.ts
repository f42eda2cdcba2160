import type { Json, JsonObject } from '@skein/core'

/** What the server's routes answer with. */
type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error'

export interface Thread {
  readonly thread_id: string
  readonly title: string | null
  readonly agent: string | null
  readonly status: ThreadStatus
  /** ISO 8601 or seconds since the epoch. */
  readonly created_at: string | number
  readonly updated_at: string | number
  readonly position: number
  readonly metadata?: JsonObject
}

type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'cancelled'

export interface Run {
  readonly run_id: string
  readonly thread_id: string
  readonly agent: string
  readonly status: RunStatus
  readonly kind?: string
  readonly input?: Json
  readonly created_at: string | number
  readonly started_at?: string | number | null
  readonly ended_at?: string | number | null
  /** When a delayed run is due. */
  readonly run_at?: string | number | null
  readonly cron_id?: string | null
  readonly error?: { readonly message?: string } | null
}

export interface Agent {
  readonly name: string
  readonly description?: string
  readonly input_schema?: JsonObject
  readonly scripted?: boolean
}

export interface Cron {
  readonly cron_id: string
  readonly schedule: string
  readonly timezone?: string | null
  readonly thread_id: string | null
  readonly agent: string
  readonly input: Json
  readonly on_overlap?: string
  readonly next_at: string | number | null
  readonly last_at?: string | number | null
  readonly last_run_id?: string | null
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cached?: number
  /** Tokens that fit the model at once. */
  readonly context?: number
}

export interface Info {
  readonly name: string
  readonly version: string
  readonly model?: string | null
  readonly scripted?: boolean
  readonly prices?: Readonly<Record<string, Price>>
  readonly store?: string
  readonly auth?: boolean
}

export interface Checkpoint {
  readonly checkpoint_id: string
  readonly parent_id?: string | null
  readonly ts?: string | number
  readonly step?: number
  readonly messages?: number
}

export interface ThreadStateValues {
  readonly values: Json
  readonly position: number
  readonly status: ThreadStatus
}
