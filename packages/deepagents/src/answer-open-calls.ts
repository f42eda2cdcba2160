import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages'
import type { WrapModelCallHook } from 'langchain'
import { putBackUnreadable } from './unreadable-calls.ts'

/**
 * Every tool call needs an answer, and every answer its call: providers refuse other conversations. A call stays
 * open when a run was cancelled, or when a human rejected its neighbour. The model reads that; the state is left as it is. A call that
 * could not be read is put back, so that it gets its answer too.
 */
export async function answerOpenCalls(
  request: Parameters<WrapModelCallHook>[0],
  handler: Parameters<WrapModelCallHook>[1],
): Promise<AIMessage> {
  const said = await handler({ ...request, messages: withAnswers(request.messages) })
  return AIMessage.isInstance(said) ? putBackUnreadable(said) : said
}

/**
 * The messages, with an answer for each tool call that has none, and without answers to calls that were never made
 * (trimmed away, or handed in by a client) or that have one already. The same array when nothing is amiss.
 */
export function withAnswers(messages: BaseMessage[]): BaseMessage[] {
  // By id, the message that asked last: some servers use the same ids again in the next turn.
  const open = new Map<string, BaseMessage>()
  const unanswered = new Map<BaseMessage, Set<string>>()
  const orphans = new Set<BaseMessage>()
  const leave = (message: BaseMessage, id: string): void => {
    unanswered.set(message, (unanswered.get(message) ?? new Set()).add(id))
  }
  for (const message of messages) {
    // The type first: it is a plain property, and this runs over all messages before every model call.
    if (message.type === 'tool' && ToolMessage.isInstance(message)) {
      if (!open.delete(message.tool_call_id)) orphans.add(message)
    } else if (message.type === 'ai' && AIMessage.isInstance(message)) {
      for (const { id } of message.tool_calls ?? []) {
        if (id === undefined) continue
        const before = open.get(id)
        if (before !== undefined) leave(before, id)
        open.set(id, message)
      }
    }
  }
  for (const [id, message] of open) leave(message, id)
  if (unanswered.size === 0 && orphans.size === 0) return messages
  return messages.flatMap((message) => {
    if (orphans.has(message)) return []
    const ids = unanswered.get(message)
    if (ids === undefined || !AIMessage.isInstance(message)) return [message]
    const calls = (message.tool_calls ?? []).filter(({ id }) => id !== undefined && ids.has(id))
    return [message, ...calls.map((call) => cancelled(call.name, call.id ?? ''))]
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
