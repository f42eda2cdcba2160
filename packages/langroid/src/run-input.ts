import { ClewlineError, isRecord, type Json, type JsonObject } from '@clewline/core'
import { z } from 'zod'
import type { LLMMessage, LLMToolCall } from './llm-message.ts'

/** The input of a run, read once: new messages, and the shared state if the client sent one. */
export interface RunInput {
  readonly messages: readonly LLMMessage[]
  readonly state: JsonObject | undefined
}

const Call = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  args: z.json().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.json() }).optional(),
})

const InputMessage = z.looseObject({
  id: z.string().optional(),
  role: z.string().optional(),
  type: z.string().optional(),
  content: z.json().optional(),
  text: z.string().optional(),
  toolCalls: z.array(Call).optional(),
  tool_calls: z.array(Call).optional(),
  toolCallId: z.string().optional(),
  tool_call_id: z.string().optional(),
})
type InputMessage = z.infer<typeof InputMessage>

/**
 * Accepts a text, one message, or an object with `messages` (as AG-UI, Clewline or LangChain write them); its other keys
 * are the shared state. Anything else is the caller's mistake.
 */
export function readRunInput(input: Json): RunInput {
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }], state: undefined }
  if (!isRecord(input)) throw badInput('not an object')
  const { messages: given, ...rest } = input
  if (given === undefined && 'role' in rest) return { messages: readMessages([rest]), state: undefined }
  if (given !== undefined && !Array.isArray(given)) throw badInput('`messages` is not a list')
  const messages = readMessages(given ?? [])
  return { messages, state: Object.keys(rest).length === 0 ? undefined : rest }
}

function readMessages(given: readonly Json[]): readonly LLMMessage[] {
  return given.flatMap((value, i) => {
    if (typeof value === 'string') return [{ role: 'user' as const, content: value }]
    const parsed = InputMessage.safeParse(value)
    if (!parsed.success) throw badInput(`message ${i}: ${z.prettifyError(parsed.error)}`)
    const message = toMessage(parsed.data)
    return message === undefined ? [] : [message]
  })
}

function toMessage(given: InputMessage): LLMMessage | undefined {
  const id = given.id === undefined ? {} : { id: given.id }
  const content = textOf(given.text ?? given.content ?? '')
  switch (given.role ?? given.type ?? '') {
    case 'user':
    case 'human':
      return { ...id, role: 'user', content }
    case 'system':
    case 'developer':
      return { ...id, role: 'system', content }
    case 'assistant':
    case 'ai': {
      const calls = (given.toolCalls ?? given.tool_calls ?? []).map(toCall)
      if (calls.length === 0) return { ...id, role: 'assistant', content }
      return { ...id, role: 'assistant', content: content === '' ? null : content, tool_calls: calls }
    }
    case 'tool': {
      const tool_call_id = given.toolCallId ?? given.tool_call_id
      if (tool_call_id === undefined) throw badInput('a tool message has no `toolCallId`')
      return { ...id, role: 'tool', content, tool_call_id }
    }
    default:
      // Reasoning and activity messages are for people, not for the model.
      return undefined
  }
}

function toCall(call: z.infer<typeof Call>): LLMToolCall {
  const args = call.function?.arguments ?? call.args ?? {}
  return {
    id: call.id,
    name: call.function?.name ?? call.name ?? '',
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }
}

/** Text parts joined by a blank; other media are not for these models. */
function textOf(content: Json): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === null ? '' : JSON.stringify(content)
  return content
    .flatMap((part: Json) => {
      if (typeof part === 'string') return [part]
      const text = typeof part === 'object' && part !== null && 'text' in part ? part['text'] : undefined
      return typeof text === 'string' ? [text] : []
    })
    .join(' ')
}

function badInput(problem: string): ClewlineError {
  return new ClewlineError('bad-request', `The input of a Langroid run cannot be read: ${problem}.`, {
    hint: 'Send a text, or {"messages": [{"role": "user", "content": "…"}], …state}.',
  })
}
