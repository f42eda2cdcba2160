import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import { createMiddleware } from 'langchain'
import { putBackUnreadable } from './unreadable-calls.ts'

/**
 * Every tool call needs an answer: providers refuse a conversation in which one is missing. A call stays open when a run
 * was cancelled, or when a human rejected its neighbour. The model reads that; the state is left as it is. A call that
 * could not be read is put back, so that it gets its answer too.
 */
export const answerOpenCalls = createMiddleware({
  name: 'AnswerOpenCalls',
  async wrapModelCall(request, handler) {
    const said = await handler({ ...request, messages: withAnswers(request.messages) })
    return AIMessage.isInstance(said) ? putBackUnreadable(said) : said
  },
})

/** The messages, with an answer for each tool call that has none. The same array when nothing is missing. */
export function withAnswers(messages: BaseMessage[]): BaseMessage[] {
  const answered = new Set<string>()
  const asked: string[] = []
  for (const message of messages) {
    // The type first: it is a plain property, and this runs over all messages before every model call.
    if (message.type === 'tool' && ToolMessage.isInstance(message)) answered.add(message.tool_call_id)
    else if (message.type === 'ai' && AIMessage.isInstance(message)) {
      for (const { id } of message.tool_calls ?? []) if (id !== undefined) asked.push(id)
    }
  }
  if (asked.every((id) => answered.has(id))) return messages
  const isOpen = (call: { id?: string }): boolean => call.id !== undefined && !answered.has(call.id)
  return messages.flatMap((message) => {
    if (!AIMessage.isInstance(message)) return [message]
    const open = (message.tool_calls ?? []).filter(isOpen)
    return [message, ...open.map((call) => cancelled(call.name, call.id ?? ''))]
  })
}

function cancelled(name: string, tool_call_id: string): ToolMessage {
  return new ToolMessage({
    name,
    tool_call_id,
    status: 'error',
    content: `${name} was not run: the run was stopped before it, or a human rejected a call of the same turn.`,
  })
}
