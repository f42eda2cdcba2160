import type { Json, JsonObject } from '@clewline/core'
import * as z from 'zod/mini'

/** What the server's routes answer with. Each type has its schema beside it, annotated so that they cannot drift. */

const text = z.string()
const optional = z.exactOptional
const json: z.ZodMiniType<Json> = z.json()
const jsonObject: z.ZodMiniType<JsonObject> = z.record(text, json)
const list = <T>(item: z.ZodMiniType<T>): z.ZodMiniType<readonly T[]> => z.readonly(z.array(item))

/** Moments are ISO 8601. */
export interface Thread {
  readonly thread_id: string
  readonly title: string | null
  readonly agent: string | null
  readonly status: 'idle' | 'busy' | 'interrupted' | 'error'
  readonly created_at: string
  readonly updated_at: string
  readonly position: number
  readonly metadata: JsonObject
}

const threadStatus = z.enum(['idle', 'busy', 'interrupted', 'error'])

export const threadSchema: z.ZodMiniType<Thread> = z.object({
  thread_id: text,
  title: z.nullable(text),
  agent: z.nullable(text),
  status: threadStatus,
  created_at: text,
  updated_at: text,
  position: z.number(),
  metadata: jsonObject,
})

export interface ThreadPage {
  readonly threads: readonly Thread[]
  /** Asks for the next page; null on the last. */
  readonly next: string | null
}

export const threadPageSchema: z.ZodMiniType<ThreadPage> = z.object({
  threads: list(threadSchema),
  next: z.nullable(text),
})

export interface ThreadStateValues {
  readonly values: Json
  readonly position: number
  readonly status: Thread['status']
}

export const stateSchema: z.ZodMiniType<ThreadStateValues> = z.object({
  values: json,
  position: z.number(),
  status: threadStatus,
})

export interface Run {
  readonly run_id: string
  readonly thread_id: string
  readonly agent: string
  readonly status: 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'cancelled'
  readonly input?: Json
  readonly created_at: string
  /** When it is due: later than it was made for a delayed run. */
  readonly run_at: string
  readonly cron_id?: string
  readonly error?: { readonly name: string; readonly message: string }
}

const runSchema: z.ZodMiniType<Run> = z.object({
  run_id: text,
  thread_id: text,
  agent: text,
  status: z.enum(['pending', 'running', 'success', 'error', 'interrupted', 'cancelled']),
  input: optional(json),
  created_at: text,
  run_at: text,
  cron_id: optional(text),
  error: optional(z.object({ name: text, message: text })),
})

export const runsSchema = z.object({ runs: list(runSchema) })
export const startedSchema = z.object({ run_id: text, position: z.number() })

export interface Agent {
  readonly name: string
  readonly description?: string
}

const agentSchema: z.ZodMiniType<Agent> = z.object({ name: text, description: optional(text) })
export const agentsSchema = z.object({ agents: list(agentSchema) })

export interface Cron {
  readonly cron_id: string
  readonly schedule: string
  readonly timezone: string
  /** Null: a new thread each time. */
  readonly thread_id: string | null
  readonly agent: string
  readonly input: Json
  readonly next_at: string
  readonly last_at: string | null
}

export const cronSchema: z.ZodMiniType<Cron> = z.object({
  cron_id: text,
  schedule: text,
  timezone: text,
  thread_id: z.nullable(text),
  agent: text,
  input: json,
  next_at: text,
  last_at: z.nullable(text),
})

export const cronsSchema = z.object({ crons: list(cronSchema) })

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
  readonly model: string | null
  readonly scripted: boolean
  readonly prices: Readonly<Record<string, Price>>
}

const priceSchema = z.object({
  input: z.number(),
  output: z.number(),
  cached: optional(z.number()),
  context: optional(z.number()),
})

export const infoSchema: z.ZodMiniType<Info> = z.object({
  name: text,
  version: text,
  model: z.nullable(text),
  scripted: z.boolean(),
  prices: z.record(text, priceSchema),
})

export interface Checkpoint {
  readonly checkpoint_id: string
  readonly parent_id: string | null
  readonly ts: string
}

const checkpointSchema: z.ZodMiniType<Checkpoint> = z.object({
  checkpoint_id: text,
  parent_id: z.nullable(text),
  ts: text,
})
export const checkpointsSchema = z.object({ checkpoints: list(checkpointSchema) })

/** A thread, a run or the crons changed, anywhere in the service. */
export const serviceEventSchema = z.object({
  thread: optional(threadSchema),
  removed: optional(text),
  run: optional(runSchema),
})

/** How the server says no. */
export const refusalSchema = z.object({
  error: z.object({ code: text, message: text, hint: optional(text) }),
})
