import { isRecord } from '@clewline/core'
import { textOf } from '@clewline/core/message'
import type { TokenUsage } from '../limits/token-usage.ts'
import { usageOfMessage } from './usage-handler.ts'

/** The text of the last answer in a graph's state; messages are objects here and plain data from a remote graph. */
export function finalText(state: Readonly<Record<string, unknown>>): string {
  const message = messagesOf(state).findLast((each) => typeOf(each) === 'ai')
  return message === undefined ? '' : textOf(message['content'])
}

/** Usage of the answers to the last user turn: for graphs whose model calls cannot be seen. */
export function usageInState(state: Readonly<Record<string, unknown>>): TokenUsage[] {
  const messages = messagesOf(state)
  const since = messages.findLastIndex((each) => typeOf(each) === 'human')
  return messages
    .slice(since + 1)
    .map(usageOfMessage)
    .filter((usage) => Object.keys(usage).length > 0)
}

function messagesOf(state: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  const messages = state['messages']
  return Array.isArray(messages) ? messages.filter(isRecord) : []
}

function typeOf(message: Record<string, unknown>): unknown {
  const { getType } = message
  return typeof getType === 'function' ? getType.call(message) : message['type']
}
