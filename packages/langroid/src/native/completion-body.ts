import type { JsonObject } from '@clewline/core'
import type { LLMMessage } from '../llm-message.ts'
import type { ModelRequest, OutputFormat, ToolSpec } from './language-model.ts'
import { strictSchema } from './strict-schema.ts'

interface CompletionBody {
  readonly messages: readonly JsonObject[]
  readonly tools?: readonly JsonObject[]
  readonly response_format?: JsonObject
}

/** A question as chat completions have it: what is sent, and what is recorded. */
export function completionBody({ messages, tools, output }: ModelRequest): CompletionBody {
  return {
    messages: messages.map(toApiMessage),
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: 'function', function: { ...toApiTool(tool) } })),
    }),
    ...(output !== undefined && { response_format: toResponseFormat(output) }),
  }
}

function toApiTool(tool: ToolSpec): ToolSpec {
  return tool.strict === true ? { ...tool, parameters: strictSchema(tool.parameters) } : tool
}

function toResponseFormat({ name, schema }: OutputFormat): JsonObject {
  return { type: 'json_schema', json_schema: { name, schema: strictSchema(schema), strict: true } }
}

const known = new WeakMap<LLMMessage, JsonObject>()

/** Memoised: a message that is sent again is the same object, so that a log looks at it once. */
function toApiMessage(message: LLMMessage): JsonObject {
  const made = known.get(message) ?? apiMessage(message)
  known.set(message, made)
  return made
}

function apiMessage(message: LLMMessage): JsonObject {
  const calls = message.tool_calls ?? []
  // Some servers refuse a message that says nothing at all, so an empty one becomes a blank, as in Langroid.
  const content = message.content === '' && calls.length === 0 ? ' ' : message.content
  return {
    role: message.role,
    ...(content !== null && { content }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.arguments === '' ? '{}' : call.arguments },
      })),
    }),
    ...(message.tool_call_id !== undefined && { tool_call_id: message.tool_call_id }),
  }
}
