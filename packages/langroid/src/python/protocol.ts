import type { Json, JsonObject, Usage } from '@clewline/core'
import { z } from 'zod'
import type { BackendEvent, BackendRequest } from '../backend.ts'
import type { LLMMessage } from '../llm-message.ts'

/** The worker protocol: one JSON object per line, both ways. A different major version is refused. */
export const PROTOCOL = 2
/** In bytes. A longer line is a protocol fault. */
export const MAX_LINE = 8 * 1024 * 1024

/** What is sent to the worker. Each is answered by an `Answer` with the same `id`. */
export type WorkerRequest =
  | { readonly op: 'ping' | 'shutdown' }
  | { readonly op: 'cancel'; readonly run: string }
  | { readonly op: 'evict'; readonly thread: string }
  | ({ readonly op: 'run' } & Omit<BackendRequest, 'signal'>)

/** What the worker says. Event fields that it adds in a later minor version are ignored. */
export type WorkerLine =
  | { readonly kind: 'ready'; readonly protocol: number; readonly langroid: string; readonly python: string }
  | { readonly kind: 'fatal'; readonly type: string; readonly message: string }
  | { readonly kind: 'answer'; readonly re: string; readonly ok: boolean; readonly error?: string }
  | { readonly kind: 'event'; readonly run: string; readonly event: WorkerEvent }
  /** An `ev` that this version does not know. */
  | { readonly kind: 'other' }

/** A backend event; a model call also says which tools its text may hold and what it sends: both are read here. */
export type WorkerEvent =
  | Exclude<BackendEvent, { ev: 'llm_start' }>
  | (Omit<Extract<BackendEvent, { ev: 'llm_start' }>, 'input' | 'params'> & {
      readonly text_tools: TextTools
      /** What is sent to the provider, without the model's name; absent where the worker cannot see it. */
      readonly request?: JsonObject
    })

/** Tools that an agent writes as JSON in its text, by name. */
export type TextTools = Readonly<
  Record<string, { readonly fields: readonly string[]; readonly required: readonly string[] }>
>

const turn = z.number().int().nonnegative()
const index = z.number().int().nonnegative()
const place = z.enum(['backend', 'frontend', 'unknown'])
const json: z.ZodType<Json> = z.json()
const object: z.ZodType<JsonObject> = z.record(z.string(), json)
const usage: z.ZodType<Usage> = z.record(z.string(), z.number())
const message: z.ZodType<LLMMessage> = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullable(),
  tool_calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.string() })).exactOptional(),
  tool_call_id: z.string().exactOptional(),
})

const Event = z.discriminatedUnion('ev', [
  z.object({
    ev: z.literal('llm_start'),
    turn,
    model: z.string(),
    agent: z.string(),
    text_tools: z
      .record(z.string(), z.object({ fields: z.array(z.string()), required: z.array(z.string()) }))
      .default({}),
    request: object.exactOptional(),
  }),
  z.object({ ev: z.literal('text'), turn, delta: z.string() }),
  z.object({ ev: z.literal('reasoning'), turn, delta: z.string() }),
  z.object({ ev: z.literal('tool_name'), turn, index, id: z.string(), name: z.string(), place }),
  z.object({ ev: z.literal('tool_args'), turn, index, delta: z.string() }),
  z.object({
    ev: z.literal('llm_end'),
    turn,
    content: z.string(),
    usage,
    finish_reason: z.string(),
    tool_calls: z.array(
      z.object({
        index,
        id: z.string(),
        name: z.string(),
        args: json,
        via: z.enum(['api', 'text']),
        place,
      }),
    ),
  }),
  z.object({ ev: z.literal('tool_start'), id: z.string() }),
  z.object({
    ev: z.literal('tool_update'),
    id: z.string(),
    state: object.exactOptional(),
    text: z.string().exactOptional(),
    progress: z.object({ done: z.number(), total: z.number().exactOptional() }).exactOptional(),
  }),
  z.object({
    ev: z.literal('tool_result'),
    id: z.string(),
    content: z.string(),
    error: z.string().nullable(),
  }),
  z.object({
    ev: z.literal('step'),
    phase: z.enum(['start', 'end']),
    name: z.string(),
    result: z.string().exactOptional(),
  }),
  z.object({
    ev: z.literal('inner_call'),
    agent: z.string(),
    model: z.string(),
    content: z.string(),
    usage,
  }),
  z.object({ ev: z.literal('message'), message }),
  z.object({ ev: z.literal('say'), text: z.string() }),
  z.object({ ev: z.literal('journal'), entry: json }),
  z.object({ ev: z.literal('live') }),
  z.object({ ev: z.literal('memory'), memory: json }),
  z.object({
    ev: z.literal('question'),
    question: z.object({ agent: z.string(), text: z.string() }),
  }),
  z.object({ ev: z.literal('warning'), code: z.string(), message: z.string() }),
  z.object({
    ev: z.literal('done'),
    reason: z.enum(['stop', 'frontend_tools', 'returned', 'max_turns', 'repeated', 'stalled', 'cancelled']),
    pending: z.array(z.string()),
  }),
  z.object({
    ev: z.literal('error'),
    code: z.enum(['LLM', 'TOOL', 'INPUT', 'LOOP', 'INTERNAL', 'WORKER']),
    type: z.string(),
    message: z.string(),
  }),
])
const EVENTS = new Set<string>(Event.options.map((option) => option.shape.ev.value))

const Head = z.looseObject({ ev: z.string().exactOptional(), run: z.string().exactOptional() })
const Ready = z.object({ protocol: z.number(), langroid: z.string(), python: z.string() })
const Fatal = z.object({ type: z.string(), message: z.string() })
const Answer = z.object({ re: z.string(), ok: z.boolean(), error: z.string().exactOptional() })

/** Reads a line. Throws at a protocol fault: framing is lost, so the worker cannot be used any more. */
export function readLine(line: string): WorkerLine {
  const value: unknown = JSON.parse(line)
  const { ev, run } = Head.parse(value)
  if (ev === undefined) return { kind: 'answer', ...Answer.parse(value) }
  if (ev === 'ready') return { kind: 'ready', ...Ready.parse(value) }
  if (ev === 'fatal') return { kind: 'fatal', ...Fatal.parse(value) }
  if (!EVENTS.has(ev)) return { kind: 'other' }
  if (run === undefined) throw new Error(`An event "${ev}" belongs to no run.`)
  return { kind: 'event', run, event: Event.parse(value) }
}
