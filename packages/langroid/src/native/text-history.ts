import type { LLMMessage } from '../llm-message.ts'
import type { ChatAgent } from './chat-agent.ts'
import { parseJsonObject } from './extract-json.ts'
import { toolText } from './tool-message.ts'

/** A thread's history as this agent's model reads it: text tools have no calls and results of their own kind. */
export function historyFor(agent: ChatAgent, messages: readonly LLMMessage[]): readonly LLMMessage[] {
  return agent.toolFormat === 'api' ? messages : messages.map(asText)
}

function asText(message: LLMMessage): LLMMessage {
  if (message.role === 'tool') return { role: 'user', content: message.content }
  const calls = message.tool_calls ?? []
  if (calls.length === 0) return message
  const tools = calls.map(
    (call) => `TOOL: ${toolText({ name: call.name, args: parseJsonObject(call.arguments) ?? {} })}`,
  )
  return {
    role: 'assistant',
    content: [message.content ?? '', ...tools].filter((part) => part !== '').join('\n'),
  }
}
