import * as z from 'zod/mini'
import type { Envelope, RawMessage, ToolCall, Usage } from './envelope.ts'
import type { Json, JsonObject } from './json.ts'

// Annotated with the hand-written types, so that neither can change without the other.
export const json: z.ZodMiniType<Json> = z.json()
const fields: z.ZodMiniType<JsonObject> = z.record(z.string(), json)
const text = z.string()
const optional = z.exactOptional
const count = z.int().check(z.gte(0))
/** `seq`, `attempt`: counted from one. */
const ordinal = z.int().check(z.gte(1))
const texts = z.record(text, text)

const head = {
  ts: z.number(),
  trace_id: text,
  run_id: text,
  call_id: text,
  parent_id: z.nullable(text),
  seq: ordinal,
  origin: z.enum(['live', 'replay']),
  agent: text,
}

const redacted = optional(z.record(text, ordinal))

function said<Type extends string, Payload extends z.ZodMiniType>(type: Type, payload: Payload) {
  return z.object({ type: z.literal(type), ...head, payload })
}

const todo = z.object({ content: text, status: z.enum(['pending', 'in_progress', 'completed']) })

const delta = z.object({
  todos: optional(z.readonly(z.array(todo))),
  files: optional(
    z.object({
      added: optional(texts),
      changed: optional(texts),
      removed: optional(z.readonly(z.array(text))),
    }),
  ),
  state: optional(fields),
})

const usage: z.ZodMiniType<Usage> = z.catchall(
  z.object({
    input_tokens: optional(count),
    output_tokens: optional(count),
    total_tokens: optional(count),
    cached_tokens: optional(count),
    reasoning_tokens: optional(count),
  }),
  json,
)

const toolCall: z.ZodMiniType<ToolCall> = z.catchall(z.object({ id: text, name: text, args: json }), json)

const message = z.object({
  id: text,
  text,
  tool_calls: z.readonly(z.array(toolCall)),
  reasoning: optional(text),
  content: optional(z.readonly(z.array(json))),
})

const interrupt = z.object({
  id: text,
  question_id: optional(text),
  value: json,
  tool_call_id: optional(text),
})

const rawMessage: z.ZodMiniType<RawMessage> = z.catchall(z.object({ type: text, content: json }), json)

const modelInput = z.object({
  messages: z.readonly(z.array(rawMessage)),
  tools: optional(z.readonly(z.array(json))),
  tool_choice: optional(json),
  response_format: optional(json),
})

const decision = z.object({
  interrupt_id: text,
  question_id: optional(text),
  value: json,
  by: z.nullable(text),
  at: z.number(),
})

const union = z.discriminatedUnion('type', [
  said(
    'tool_start',
    z.object({
      redacted,
      tool_name: text,
      kind: z.enum(['graph', 'subgraph', 'subagent', 'tool', 'node']),
      args: optional(json),
      input: optional(json),
      node: optional(text),
      meta: optional(z.catchall(z.object({ tool_call_id: optional(text) }), json)),
      attempt: optional(ordinal),
      protocol: optional(ordinal),
      config: optional(fields),
      context: optional(json),
      code: optional(z.object({ name: text, version: optional(text) })),
      by: optional(z.nullable(text)),
    }),
  ),
  said(
    'tool_update',
    z.object({
      redacted,
      tool_name: text,
      text: optional(text),
      progress: optional(z.object({ done: z.number(), total: optional(z.number()) })),
      delta: optional(delta),
      data: optional(json),
      from_seq: optional(ordinal),
    }),
  ),
  said(
    'tool_end',
    z.object({
      redacted,
      tool_name: text,
      result: json,
      status: z.enum(['ok', 'cancelled', 'pending_frontend']),
      raw: optional(json),
    }),
  ),
  said(
    'llm_start',
    z.object({
      redacted,
      model: text,
      params: fields,
      node: optional(text),
      attempt: optional(ordinal),
      input: optional(modelInput),
    }),
  ),
  said(
    'llm_token',
    z.object({
      redacted,
      text,
      channel: optional(z.enum(['text', 'reasoning', 'tool_args'])),
      tool_call: optional(z.object({ id: text, name: text, index: count })),
      message_id: optional(text),
      logprob: optional(z.number()),
      from_seq: optional(ordinal),
    }),
  ),
  said('llm_end', z.object({ redacted, usage, finish_reason: text, message, raw: optional(rawMessage) })),
  said(
    'subgraph_checkpoint',
    z.object({
      redacted,
      checkpoint_id: text,
      node: text,
      state_digest: text,
      interrupts: optional(z.readonly(z.array(interrupt))),
    }),
  ),
  said(
    'subgraph_resume',
    z.object({ redacted, checkpoint_id: text, node: text, answers: optional(z.readonly(z.array(decision))) }),
  ),
  said('warning', z.catchall(z.object({ code: text, message: text }), json)),
  said(
    'error',
    z.object({ redacted, name: text, message: text, stack: text, class: text, fields: optional(fields) }),
  ),
])

/** What an envelope must look like. Whether a stream of them makes sense is what `verify` says. */
export const envelopeSchema: z.ZodMiniType<Envelope> = union

/** What the schema lets through, for the test that it is neither more nor less than `Envelope`. */
export type SchemaEnvelope = z.infer<typeof union>
