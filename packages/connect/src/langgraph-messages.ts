import type { Message } from '@ag-ui/core'
import { textAt, valueAt } from './value-at.ts'

/** Messages of a LangGraph state as AG-UI messages. Upstream has such a function but does not export it. */
export function langGraphMessages(values: unknown): Message[] {
  return listAt(values, 'messages').flatMap(aguiMessage)
}

function aguiMessage(value: unknown): Message[] {
  const id = textAt(value, 'id')
  if (id === undefined) return []
  const content = textOf(valueAt(value, 'content'))
  const name = textAt(value, 'name') ?? ''
  const named = name === '' ? {} : { name }
  switch (textAt(value, 'type') ?? '') {
    case 'human':
    case 'user':
      return [{ id, role: 'user', content, ...named }]
    case 'system':
      return [{ id, role: 'system', content, ...named }]
    case 'tool': {
      const toolCallId = textAt(value, 'tool_call_id')
      if (toolCallId === undefined) return []
      const isError = textAt(value, 'status') === 'error'
      return [{ id, role: 'tool', toolCallId, content, ...(isError && { error: 'error' }) }]
    }
    case 'ai':
    case 'assistant': {
      const toolCalls = listAt(value, 'tool_calls').flatMap(toolCall)
      const reasoning = listAt(value, 'content').map(reasoningOf).join('')
      const answer: Message = {
        id,
        role: 'assistant',
        content,
        ...(toolCalls.length > 0 && { toolCalls }),
        ...named,
      }
      return reasoning === ''
        ? [answer]
        : [{ id: `${id}-reasoning`, role: 'reasoning', content: reasoning }, answer]
    }
    default:
      return []
  }
}

function toolCall(
  call: unknown,
): { id: string; type: 'function'; function: { name: string; arguments: string } }[] {
  const id = textAt(call, 'id')
  const name = textAt(call, 'name')
  if (id === undefined || name === undefined) return []
  const args = valueAt(call, 'args') ?? {}
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return [{ id, type: 'function', function: { name, arguments: text } }]
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: unknown) => {
      if (typeof block === 'string') return block
      return textAt(block, 'type') === 'text' ? (textAt(block, 'text') ?? '') : ''
    })
    .join('')
}

function reasoningOf(block: unknown): string {
  const type = textAt(block, 'type')
  return type === 'thinking' || type === 'reasoning' ? (textAt(block, type) ?? '') : ''
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = valueAt(value, key)
  return Array.isArray(list) ? list : []
}
