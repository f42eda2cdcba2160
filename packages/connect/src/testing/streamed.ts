import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'

export interface Streamed {
  readonly text: Map<string, string>
  readonly args: Map<string, string>
  /** How often each result was told. */
  readonly results: Map<string, number>
}

/** What a client would show just before the last snapshot puts everything right. */
export function streamed(events: readonly Event[]): Streamed {
  const text = new Map<string, string>()
  const args = new Map<string, string>()
  const results = new Map<string, number>()
  const last = events.findLastIndex((event) => event.type === EventType.MESSAGES_SNAPSHOT)
  for (const event of events.slice(0, last)) {
    if (event.type === EventType.MESSAGES_SNAPSHOT) {
      for (const message of event.messages) {
        if (message.role === 'assistant') {
          text.set(message.id, message.content ?? '')
          for (const call of message.toolCalls ?? []) args.set(call.id, call.function.arguments)
        }
        if (message.role === 'tool') results.set(message.toolCallId, 1)
      }
    }
    if (event.type === EventType.TEXT_MESSAGE_CONTENT)
      text.set(event.messageId, (text.get(event.messageId) ?? '') + event.delta)
    if (event.type === EventType.TOOL_CALL_ARGS)
      args.set(event.toolCallId, (args.get(event.toolCallId) ?? '') + event.delta)
    if (event.type === EventType.TOOL_CALL_RESULT)
      results.set(event.toolCallId, (results.get(event.toolCallId) ?? 0) + 1)
  }
  return { text, args, results }
}
