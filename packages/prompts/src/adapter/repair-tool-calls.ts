import { randomUUID } from 'node:crypto'
import type { AIMessage } from '@langchain/core/messages'
import type { Evaluation } from './evaluation.ts'
import type { LangChain } from './load-langchain.ts'

/**
 * LangChain puts a call with unreadable arguments aside, and an agent without other calls then ends as if the model
 * had answered. Put back as a call, it gets a refusal as its answer and the model can try again.
 */
export function repairToolCalls(lc: LangChain, evaluation: Evaluation, message: AIMessage): AIMessage {
  const invalid = message.invalid_tool_calls ?? []
  if (invalid.length === 0) return message
  const repaired = invalid.map((call) => {
    const id = call.id ?? randomUUID()
    evaluation.malformed.set(id, call.args ?? '')
    return { id, name: call.name ?? 'unknown', args: {}, type: 'tool_call' as const }
  })
  return withToolCalls(lc, message, [...(message.tool_calls ?? []), ...repaired])
}

/** The same answer with other tool calls. */
export function withToolCalls(
  lc: LangChain,
  message: AIMessage,
  toolCalls: NonNullable<AIMessage['tool_calls']>,
  content: AIMessage['content'] = message.content,
): AIMessage {
  // The provider's own copy of the calls would contradict these.
  const { tool_calls: _, ...additional_kwargs } = message.additional_kwargs
  return new lc.messages.AIMessage({
    content,
    tool_calls: toolCalls,
    additional_kwargs,
    response_metadata: message.response_metadata,
    ...(message.id !== undefined && { id: message.id }),
    ...(message.usage_metadata !== undefined && { usage_metadata: message.usage_metadata }),
  })
}
