import { AIMessage, ToolMessage, type ToolCall } from '@langchain/core/messages'
import { cutText } from './cut-text.ts'

/** The only argument of a call whose real ones are not JSON. In the message itself, so that it survives a pause. */
const UNREADABLE = '__unreadable_arguments'

/**
 * LangChain puts calls whose arguments do not parse aside (`invalid_tool_calls`), and an agent without other calls then
 * ends as if the model had answered with nothing. Put back as calls, they are refused and the model can try again. The
 * same message when all calls can be read.
 */
export function putBackUnreadable(message: AIMessage): AIMessage {
  const invalid = message.invalid_tool_calls ?? []
  if (invalid.length === 0) return message
  const putBack = invalid.map(({ id, name, args }): ToolCall => ({
    type: 'tool_call',
    id: id ?? crypto.randomUUID(),
    name: name ?? 'unknown',
    args: { [UNREADABLE]: args ?? '' },
  }))
  // The provider's own copy of the calls would contradict these.
  const { tool_calls: _, ...additional_kwargs } = message.additional_kwargs
  const { content, response_metadata, id, usage_metadata } = message
  return new AIMessage({
    content,
    tool_calls: [...(message.tool_calls ?? []), ...putBack],
    additional_kwargs,
    response_metadata,
    ...(id !== undefined && { id }),
    ...(usage_metadata !== undefined && { usage_metadata }),
  })
}

/** The answer to a call that was put back, or undefined for one that can be run. */
export function refuseUnreadable({ id = '', name, args }: ToolCall): ToolMessage | undefined {
  const text: unknown = args[UNREADABLE]
  if (typeof text !== 'string') return undefined
  const shown = JSON.stringify(text.length > 300 ? `${cutText(text, 300)}…` : text)
  const content = `${name} was not run: its arguments are not valid JSON${reasonOf(text)}. You sent ${shown}. Call it again with a JSON object.`
  return new ToolMessage({ name, tool_call_id: id, status: 'error', content })
}

function reasonOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return error instanceof Error ? ` (${error.message})` : ''
  }
}
