import type { LLMMessage } from '../llm-message.ts'
import type { ChatDocument, ToolUse } from './chat-document.ts'

/**
 * An answer of the model as every history keeps it: with its calls, whether it made them through the API or wrote them
 * as text. So a client's result finds its call, and a thread can move between agents of both kinds.
 */
export function canonicalAnswer(document: ChatDocument): LLMMessage {
  const { content, visible = content, tools } = document
  if (tools.length === 0) return { role: 'assistant', content }
  return {
    role: 'assistant',
    content: visible.trim() === '' ? null : visible,
    tool_calls: tools.map(({ id, name, args }) => ({ id, name, arguments: JSON.stringify(args) })),
  }
}

/** Rewrites what a text agent's history gained: its answers with their calls, and results as results. */
export function canonicalMessages(
  messages: readonly LLMMessage[],
  answers: readonly ChatDocument[],
): readonly LLMMessage[] {
  let open: readonly ToolUse[] = []
  return messages.flatMap((message): readonly LLMMessage[] => {
    if (message.role === 'assistant') {
      const document = answers.findLast((answer) => answer.content === message.content)
      open = document?.tools ?? []
      return [document === undefined ? message : canonicalAnswer(document)]
    }
    if (message.role !== 'user' || open.length === 0) return [message]
    const results = open.map(({ id }): LLMMessage => ({
      role: 'tool',
      tool_call_id: id,
      content: message.content,
    }))
    open = []
    return results
  })
}
