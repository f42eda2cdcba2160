import type { Message } from '@ag-ui/core'

/** Messages of a LangGraph state as AG-UI messages. Upstream has such a function but does not export it. */
export function langGraphMessages(values: unknown): Message[] {
  const messages = isRecord(values) ? values['messages'] : undefined
  return Array.isArray(messages) ? messages.flatMap(aguiMessage) : []
}

function aguiMessage(value: unknown): Message[] {
  if (!isRecord(value) || typeof value['id'] !== 'string') return []
  const { id } = value
  const content = textOf(value['content'])
  const name = typeof value['name'] === 'string' && value['name'] !== '' ? { name: value['name'] } : {}
  switch (value['type']) {
    case 'human':
    case 'user':
      return [{ id, role: 'user', content, ...name }]
    case 'system':
      return [{ id, role: 'system', content, ...name }]
    case 'tool': {
      const toolCallId = value['tool_call_id']
      if (typeof toolCallId !== 'string') return []
      return [
        { id, role: 'tool', toolCallId, content, ...(value['status'] === 'error' && { error: 'error' }) },
      ]
    }
    case 'ai':
    case 'assistant': {
      const toolCalls = toolCallsOf(value['tool_calls'])
      const reasoning = reasoningOf(value)
      const said: Message = {
        id,
        role: 'assistant',
        content,
        ...(toolCalls.length > 0 && { toolCalls }),
        ...name,
      }
      return reasoning === ''
        ? [said]
        : [{ id: `${id}-reasoning`, role: 'reasoning', content: reasoning }, said]
    }
    default:
      return []
  }
}

function toolCallsOf(
  value: unknown,
): { id: string; type: 'function'; function: { name: string; arguments: string } }[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((call: unknown) => {
    if (!isRecord(call) || typeof call['id'] !== 'string' || typeof call['name'] !== 'string') return []
    const args = call['args'] ?? {}
    return [
      {
        id: call['id'],
        type: 'function' as const,
        function: { name: call['name'], arguments: typeof args === 'string' ? args : JSON.stringify(args) },
      },
    ]
  })
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: unknown) => {
      if (typeof block === 'string') return block
      return isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string'
        ? block['text']
        : ''
    })
    .join('')
}

function reasoningOf(message: Record<string, unknown>): string {
  const blocks = Array.isArray(message['content']) ? message['content'] : []
  return blocks
    .map((block: unknown) => {
      if (!isRecord(block)) return ''
      const said =
        block['type'] === 'thinking'
          ? block['thinking']
          : block['type'] === 'reasoning'
            ? block['reasoning']
            : ''
      return typeof said === 'string' ? said : ''
    })
    .join('')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
