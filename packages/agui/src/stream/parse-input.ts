import { ClewlineError } from '@clewline/core'
import type { Json } from '@clewline/core'
import * as z from 'zod/mini'

/** What we read of a `RunAgentInput`, from any client since 0.0.37: fields that one version lacks have defaults, nulls are absent. */
export interface AguiInput {
  readonly threadId: string
  readonly runId: string
  readonly protocolVersion?: string
  readonly state: Json
  readonly messages: readonly AguiInputMessage[]
  readonly tools: readonly AguiTool[]
  readonly context: readonly { readonly description: string; readonly value: string }[]
  readonly forwardedProps: Json
  readonly resume: readonly AguiResume[]
}

export interface AguiInputMessage {
  readonly id: string
  readonly role: string
  readonly content: Json
  readonly name?: string
  readonly toolCallId?: string
  readonly toolCalls?: readonly AguiToolCall[]
}

export interface AguiToolCall {
  readonly id: string
  readonly name: string
  /** As the model wrote them. */
  readonly arguments: string
}

interface AguiTool {
  readonly name: string
  readonly description: string
  readonly parameters: Json
}

export interface AguiResume {
  readonly interruptId: string
  readonly status: 'resolved' | 'cancelled'
  readonly payload?: Json
}

const json = z.json()
const text = z.string()
const id = z.string().check(z.minLength(1), z.maxLength(200))

const inputSchema = z.object({
  threadId: z.optional(id),
  runId: z.optional(id),
  protocolVersion: z.optional(text),
  state: z.optional(json),
  messages: z._default(
    z.array(
      z.object({
        id,
        role: text,
        content: z.optional(z.union([text, z.array(json), z.record(text, json)])),
        name: z.optional(text),
        toolCallId: z.optional(text),
        toolCalls: z.optional(
          z.array(z.object({ id, function: z.object({ name: text, arguments: z._default(text, '{}') }) })),
        ),
      }),
    ),
    [],
  ),
  tools: z._default(
    z.array(z.object({ name: id, description: z._default(text, ''), parameters: z.optional(json) })),
    [],
  ),
  context: z._default(z.array(z.object({ description: text, value: text })), []),
  forwardedProps: z.optional(json),
  config: z.optional(z.object({ configurable: z.optional(z.object({ thread_id: z.optional(id) })) })),
  resume: z._default(
    z.array(
      z.object({
        interruptId: id,
        status: z._default(z.enum(['resolved', 'cancelled']), 'resolved'),
        payload: z.optional(json),
      }),
    ),
    [],
  ),
})

/** Throws `bad-request` with the place of the first mistake. A run id that is not given is made. */
export function parseInput(body: unknown, newId: () => string): AguiInput {
  const parsed = inputSchema.safeParse(withoutNulls(body))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const place = issue === undefined || issue.path.length === 0 ? 'the body' : issue.path.join('.')
    throw new ClewlineError('bad-request', `Not a RunAgentInput: ${place}: ${issue?.message ?? 'invalid'}.`, {
      hint: 'Send the JSON of an AG-UI RunAgentInput, at least {"threadId": "…"}.',
    })
  }
  const { threadId, runId, protocolVersion, messages, config, ...rest } = parsed.data
  const thread = threadId ?? config?.configurable?.thread_id
  if (thread === undefined) {
    throw new ClewlineError('bad-request', 'The input has no threadId.', {
      hint: 'Set threadId to any string; the same string is the same thread.',
    })
  }
  return {
    threadId: thread,
    runId: runId ?? newId(),
    ...(protocolVersion !== undefined && { protocolVersion }),
    state: rest.state ?? null,
    messages: messages.map(({ content, name, toolCallId, toolCalls, ...message }) => ({
      ...message,
      content: content ?? '',
      ...(name !== undefined && { name }),
      ...(toolCallId !== undefined && { toolCallId }),
      ...(toolCalls !== undefined && {
        toolCalls: toolCalls.map((call) => ({ id: call.id, ...call.function })),
      }),
    })),
    tools: rest.tools.map((tool) => ({ ...tool, parameters: tool.parameters ?? {} })),
    context: rest.context,
    forwardedProps: rest.forwardedProps ?? null,
    resume: rest.resume.map(({ payload, ...entry }) => ({
      ...entry,
      ...(payload !== undefined && { payload }),
    })),
  }
}

/** Older clients write `null` for what they leave out, at the top and in messages; deeper down a null is data. */
function withoutNulls(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body)
      .filter(([, value]) => value !== null)
      .map(([key, value]: [string, unknown]) => [
        key,
        Array.isArray(value) ? value.map((item: unknown) => shallow(item)) : value,
      ]),
  )
}

function shallow(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null))
}
