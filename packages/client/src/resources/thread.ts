import type { Interrupt, Json, JsonObject } from '@clewline/core'
import type { SourceCheckpoint } from '@clewline/core/source'
import * as z from 'zod/mini'
import { json, jsonObject, list } from './json-schema.ts'

export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error'

/** A conversation with agents: its runs append to one log. Times are ISO 8601. */
export interface Thread {
  readonly thread_id: string
  readonly title: string | null
  /** The agent of its newest run. */
  readonly agent: string | null
  readonly status: ThreadStatus
  readonly created_at: string
  readonly updated_at: string
  /** Position of the newest envelope; 0 when there is none. */
  readonly position: number
  readonly owner?: string
  readonly metadata: JsonObject
}

/** One page of threads, the newest first. */
export interface ThreadPage {
  readonly threads: readonly Thread[]
  /** Cursor for `before`; null on the last page. */
  readonly next: string | null
}

/** What a thread holds now. */
export interface ThreadState {
  readonly values: Json
  /** Nodes that would run next. */
  readonly next: readonly string[]
  /** Questions that wait for an answer: `runs.create` with `resume`. */
  readonly interrupts: readonly Interrupt[]
  readonly status: ThreadStatus
  readonly position: number
  readonly checkpoint_id: string | null
}

/** A saved state that a thread can be forked from. */
export type Checkpoint = SourceCheckpoint

/** One page of saved states, the newest first. */
export interface CheckpointPage {
  readonly checkpoints: readonly Checkpoint[]
  /** Cursor for `before`; null on the last page. */
  readonly next: string | null
}

export interface CreateThread {
  /** Idempotent: an id that is there already returns its thread. Default: a new id. */
  readonly thread_id?: string
  readonly title?: string
  readonly agent?: string
  readonly metadata?: JsonObject
}

export interface UpdateThread {
  readonly title?: string
  /** Replaces what is there. */
  readonly metadata?: JsonObject
}

/** Where a fork begins. Default: the newest state. */
export interface ForkThread {
  readonly checkpoint_id?: string
  readonly before_message_id?: string
  /** Id of the new thread. */
  readonly thread_id?: string
}

const text = z.string()
const threadStatus = z.enum(['idle', 'busy', 'interrupted', 'error'])

export const threadSchema: z.ZodMiniType<Thread> = z.object({
  thread_id: text,
  title: z.nullable(text),
  agent: z.nullable(text),
  status: threadStatus,
  created_at: text,
  updated_at: text,
  position: z.number(),
  owner: z.exactOptional(text),
  metadata: jsonObject,
})

export const threadPageSchema: z.ZodMiniType<ThreadPage> = z.object({
  threads: list(threadSchema),
  next: z.nullable(text),
})

export const threadStateSchema: z.ZodMiniType<ThreadState> = z.object({
  values: json,
  next: list(text),
  interrupts: list(
    z.object({
      id: text,
      question_id: z.exactOptional(text),
      value: json,
      tool_call_id: z.exactOptional(text),
    }),
  ),
  status: threadStatus,
  position: z.number(),
  checkpoint_id: z.nullable(text),
})

const checkpoint: z.ZodMiniType<Checkpoint> = z.object({
  checkpoint_id: text,
  parent_id: z.nullable(text),
  ts: text,
  step: z.number(),
  next: list(text),
  messages: z.number(),
})

export const checkpointPageSchema: z.ZodMiniType<CheckpointPage> = z.object({
  checkpoints: list(checkpoint),
  // Servers from before pages send the newest 500.
  next: z._default(z.nullable(text), null),
})
