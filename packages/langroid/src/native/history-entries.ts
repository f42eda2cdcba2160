import { unansweredCalls, type LLMMessage } from '../llm-message.ts'
import type { ChatDocument } from './chat-document.ts'

const UNANSWERED = 'No result: this call was not answered.'

/**
 * What a document adds to a history. It answers the open tool calls when it is an answer (of the agent or of a
 * sub-task); words of the user never do: those calls are closed, and the words stay the user's.
 */
export function historyEntries(
  history: readonly LLMMessage[],
  document: ChatDocument,
): readonly LLMMessage[] {
  const open = unansweredCalls(history)
  const answers = new Map(document.results.map((result) => [result.id, result.content]))
  const isFromTask = document.sender === 'User' && document.senderName !== undefined
  const isAnswer = answers.size > 0 || document.sender === 'Agent' || isFromTask
  const closing = open.map((call): LLMMessage => {
    const content = answers.get(call.id) ?? (isAnswer && answers.size === 0 ? document.content : UNANSWERED)
    return { role: 'tool', tool_call_id: call.id, content }
  })
  if (open.length > 0 && isAnswer) return closing
  if (document.content === '' && answers.size > 0) {
    return [...closing, { role: 'user', content: [...answers.values()].join('\n\n') }]
  }
  return [...closing, { role: roleOf(document), content: document.content }]
}

function roleOf({ sender }: ChatDocument): 'assistant' | 'system' | 'user' {
  if (sender === 'LLM') return 'assistant'
  return sender === 'System' ? 'system' : 'user'
}
