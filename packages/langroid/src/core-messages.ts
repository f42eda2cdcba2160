import type { Message } from '@clewline/core'
import type { LLMMessage } from './llm-message.ts'
import { parseJsonObject } from './native/extract-json.ts'

/** A thread's history as every other part of Clewline reads messages. */
export function coreMessages(messages: readonly LLMMessage[]): readonly Message[] {
  return messages.map((message, i) => ({
    id: message.id ?? `message-${i}`,
    role: message.role,
    text: message.content ?? '',
    ...(message.tool_call_id !== undefined && { tool_call_id: message.tool_call_id }),
    ...(message.tool_calls !== undefined && {
      tool_calls: message.tool_calls.map((call) => ({
        id: call.id,
        name: call.name,
        args: parseJsonObject(call.arguments) ?? {},
      })),
    }),
  }))
}
