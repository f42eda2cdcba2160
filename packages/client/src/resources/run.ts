import type { Json, JsonObject } from '@clewline/core'
import type { Answer } from '@clewline/core/source'
import * as z from 'zod/mini'
import { json, list } from './json-schema.ts'

export type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'cancelled'

/** Which of an owner's waiting runs go first. */
export type Priority = 'low' | 'normal' | 'high'

/** One execution of an agent on a thread. Times are ISO 8601. */
export interface Run {
  readonly run_id: string
  readonly thread_id: string
  readonly trace_id: string
  readonly agent: string
  readonly priority: Priority
  readonly status: RunStatus
  readonly kind: 'input' | 'resume'
  readonly input?: Json
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  /** When it is due: later than `created_at` for a delayed run. */
  readonly run_at: string
  readonly cron_id?: string
  readonly error?: { readonly name: string; readonly message: string }
  /** 1, and one more for each time that it was recovered. */
  readonly attempt: number
  /** Its envelopes come after this position; null until it starts. */
  readonly position: number | null
  readonly end_position: number | null
}

/** A tool that the client runs itself: its call ends as `pending_frontend`, and the next run brings the result. */
export interface FrontendTool {
  readonly name: string
  readonly description?: string
  /** JSON Schema. */
  readonly parameters?: JsonObject
}

/** What to run. Exactly one of `input` and `resume`. */
export interface CreateRun {
  readonly agent: string
  readonly input?: Json
  readonly resume?: Answer | readonly Answer[]
  readonly config?: {
    readonly recursion_limit?: number
    readonly deadline_seconds?: number
    readonly checkpoint_id?: string
    readonly configurable?: JsonObject
    readonly tags?: readonly string[]
  }
  readonly after_seconds?: number
  /** What to do while the thread has another run. Default `enqueue`. */
  readonly on_busy?: 'enqueue' | 'reject' | 'cancel'
  /** Default `normal`; the server may bound it. */
  readonly priority?: Priority
  readonly tools?: readonly FrontendTool[]
  /** Idempotency key: a run that is there already is not started twice. */
  readonly run_id?: string
}

/** A run that was accepted, and the position after which its envelopes come. */
export interface CreatedRun {
  readonly run_id: string
  readonly position: number
}

const text = z.string()

export const runSchema: z.ZodMiniType<Run> = z.object({
  run_id: text,
  thread_id: text,
  trace_id: text,
  agent: text,
  priority: z._default(z.enum(['low', 'normal', 'high']), 'normal'),
  status: z.enum(['pending', 'running', 'success', 'error', 'interrupted', 'cancelled']),
  kind: z.enum(['input', 'resume']),
  input: z.exactOptional(json),
  created_at: text,
  started_at: z.nullable(text),
  ended_at: z.nullable(text),
  run_at: text,
  cron_id: z.exactOptional(text),
  error: z.exactOptional(z.object({ name: text, message: text })),
  attempt: z.number(),
  position: z.nullable(z.number()),
  end_position: z.nullable(z.number()),
})

export const runsSchema = z.object({ runs: list(runSchema) })

export const createdRunSchema: z.ZodMiniType<CreatedRun> = z.object({ run_id: text, position: z.number() })
