import type { ContentPart, Message as AguiMessage } from '@ag-ui/core'
import type { Message } from '@clewline/core'
import { aguiParts } from './agui-parts.ts'
import type { Dialect } from './dialect.ts'
import { reasoningId } from './message-events.ts'

/** A conversation as AG-UI messages. `resultIds` keeps the ids that the client gave to tool results of its own. */
export function aguiMessages(
  messages: readonly Message[],
  dialect: Pick<Dialect, 'reasoning' | 'parts' | 'v1'>,
  resultIds: Readonly<Record<string, string>> = {},
): AguiMessage[] {
  return messages.flatMap((message, index): AguiMessage[] => {
    const id = message.id === '' ? `message-${index}` : message.id
    const named = message.name === undefined ? {} : { name: message.name }
    switch (message.role) {
      case 'user':
        return [{ id, role: 'user', content: shownContent(message, dialect.parts), ...named }]
      case 'system':
        return [{ id, role: 'system', content: message.text, ...named }]
      case 'tool': {
        const toolCallId = message.tool_call_id ?? id
        return [
          {
            id: resultIds[toolCallId] ?? resultId(toolCallId),
            role: 'tool',
            toolCallId,
            content: shownContent(message, dialect.v1),
            ...(message.status === 'error' && { error: message.text }),
          },
        ]
      }
      case 'assistant': {
        // Without its name: a stream cannot know it when the message begins, and the two must look the same.
        const calls = message.tool_calls ?? []
        const said: AguiMessage = {
          id,
          role: 'assistant',
          ...(message.text !== '' || calls.length === 0 ? { content: message.text } : {}),
          ...(calls.length > 0 && {
            toolCalls: calls.map((call) => ({
              id: call.id,
              type: 'function' as const,
              function: {
                name: call.name,
                arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
              },
            })),
          }),
        }
        return message.reasoning !== undefined && dialect.reasoning
          ? [{ id: reasoningId(id), role: 'reasoning', content: message.reasoning }, said]
          : [said]
      }
    }
  })
}

/** Parts where the client reads them and there is more than text. */
export function shownContent({ text, content = [] }: Message, hasParts: boolean): string | ContentPart[] {
  return (hasParts ? aguiParts(content) : null) ?? text
}

/** The checkpoint gives a tool's answer a random id after the stream has shown it; the tool call's own id is known to both. */
export function resultId(toolCallId: string): string {
  return `result-${toolCallId}`
}
