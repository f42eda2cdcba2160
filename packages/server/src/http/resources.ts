import type * as client from '@clewline/client'
import type { Interrupt, Json, JsonObject } from '@clewline/core'
import { envelopeJsonSchema } from '@clewline/core/check'
import { z } from 'zod'
import { ID } from '../runtime/check-id.ts'
import type { Cron, Run, RunSummary, Thread } from '../store/store.ts'
import type { Shape } from './shape.ts'

/** Anything JSON: a parsed body cannot hold anything else. */
export const jsonValue = z
  .custom<Json>((value) => value !== undefined, 'is missing')
  .meta({ description: 'Any JSON value.' })
export const jsonObject = z.record(z.string(), jsonValue)

/** An id that is safe in a path, a header, a file name and a log line. */
export const id = z
  .string()
  .regex(ID, 'must be 1 to 128 letters, digits or . _ : @ -, and start with a letter or digit')

/** For the document: envelopes are written to the wire as they are in the log. */
export const envelope = z.any().meta({ id: 'Envelope', ...envelopeJsonSchema() })

/** A value that a log holds once, under the hash of its content. */
export const partSchema = z.object({ part: z.string(), value: jsonValue }).meta({ id: 'Part' })

const time = z.string().meta({ format: 'date-time' })

/** From the least to the most. */
export const PRIORITIES = ['low', 'normal', 'high'] as const satisfies readonly client.Priority[]

export const threadStatus = z.enum(['idle', 'busy', 'interrupted', 'error'])

export const threadSchema = z
  .object({
    thread_id: z.string(),
    title: z.string().nullable(),
    agent: z.string().nullable(),
    status: threadStatus,
    created_at: time,
    updated_at: time,
    position: z.int(),
    owner: z.string().exactOptional(),
    metadata: jsonObject,
  } satisfies Shape<client.Thread>)
  .meta({ id: 'Thread' })

export const threadPageSchema = z.object({
  threads: z.array(threadSchema),
  next: z.string().nullable(),
} satisfies Shape<client.ThreadPage>)

export function threadJson(thread: Thread, position: number): client.Thread {
  const { owner, ...rest } = thread
  return { ...rest, position, ...(owner === null ? {} : { owner }), metadata: plain(thread.metadata) }
}

export const runSchema = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    trace_id: z.string(),
    agent: z.string(),
    priority: z.enum(PRIORITIES),
    status: z.enum(['pending', 'running', 'success', 'error', 'interrupted', 'cancelled']),
    kind: z.enum(['input', 'resume']),
    input: jsonValue.exactOptional(),
    created_at: time,
    started_at: time.nullable(),
    ended_at: time.nullable(),
    run_at: time,
    cron_id: z.string().exactOptional(),
    error: z.object({ name: z.string(), message: z.string() }).exactOptional(),
    attempt: z.int(),
    position: z.int().nullable(),
    end_position: z.int().nullable(),
  } satisfies Shape<client.Run>)
  .meta({ id: 'Run' })

export function runJson({ request, ...run }: Run): client.Run {
  const input = request.kind === 'input' ? { input: request.input } : {}
  return { ...summaryJson({ ...run, kind: request.kind }), ...input }
}

export function summaryJson(run: RunSummary): client.Run {
  const { cron_id, error, owner: _owner, crashes: _crashes, base_checkpoint: _base, ...rest } = run
  return {
    ...rest,
    ...(cron_id === null ? {} : { cron_id }),
    ...(error === null ? {} : { error }),
  }
}

export const cronSchema = z
  .object({
    cron_id: z.string(),
    schedule: z.string(),
    timezone: z.string(),
    thread_id: z.string().nullable(),
    agent: z.string(),
    input: jsonValue,
    on_overlap: z.enum(['skip', 'enqueue', 'cancel']),
    created_at: time,
    next_at: time,
    last_at: time.nullable(),
    last_run_id: z.string().nullable(),
  } satisfies Shape<client.Cron>)
  .meta({ id: 'Cron' })

export const cronPageSchema = z.object({
  crons: z.array(cronSchema),
  next: z.string().nullable(),
} satisfies Shape<client.CronPage>)

export function cronJson(cron: Cron): client.Cron {
  const { owner: _owner, ...rest } = cron
  return rest
}

const interruptSchema = z.object({
  id: z.string(),
  question_id: z.string().exactOptional(),
  value: jsonValue,
  tool_call_id: z.string().exactOptional(),
} satisfies Shape<Interrupt>)

export const stateSchema = z
  .object({
    values: jsonValue,
    next: z.array(z.string()),
    interrupts: z.array(interruptSchema),
    status: threadStatus,
    position: z.int(),
    checkpoint_id: z.string().nullable(),
  } satisfies Shape<client.ThreadState>)
  .meta({ id: 'State' })

export const threadParams = z.object({ thread: id })
export const runParams = z.object({ thread: id, run: id })

function plain(value: JsonObject): Record<string, Json> {
  return { ...value }
}
