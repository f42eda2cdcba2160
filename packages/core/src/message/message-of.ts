import { coerce } from '../coerce.ts'
import type { Message, ToolCall } from '../envelope.ts'
import { isRecord } from '../is-record.ts'
import type { Json } from '../json.ts'
import { contentBlocks } from './content-blocks.ts'

/**
 * Reads a chat message in any of the forms that frameworks use: LangChain instances, their serialised and stored
 * forms, `{role, content}`, `[role, content]`, and our own. Null when it is none of them; an unknown id is "".
 */
export function messageOf(value: unknown): Message | null {
  try {
    return read(value)
  } catch {
    return null
  }
}

const ROLES: Readonly<Record<string, Message['role']>> = {
  user: 'user',
  human: 'user',
  HumanMessage: 'user',
  HumanMessageChunk: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  system: 'system',
  developer: 'system',
  SystemMessage: 'system',
  SystemMessageChunk: 'system',
  tool: 'tool',
  function: 'tool',
  ToolMessage: 'tool',
  ToolMessageChunk: 'tool',
}

function read(value: unknown): Message | null {
  if (Array.isArray(value)) {
    const [role, content]: unknown[] = value
    return value.length === 2 && typeof role === 'string' && typeof content === 'string'
      ? read({ role, content })
      : null
  }
  if (!isRecord(value)) return null
  const { kwargs, data } = value
  if (value['lc'] === 1 && Array.isArray(value['id']) && isRecord(kwargs))
    return read({ ...kwargs, type: String(value['id'].at(-1)) })
  if (typeof value['type'] === 'string' && isRecord(data) && 'content' in data)
    return read({ ...data, type: value['type'] })

  const named = value['role'] ?? (typeof value['getType'] === 'function' ? value['getType']() : value['type'])
  const role = typeof named === 'string' ? ROLES[named] : undefined
  if (role === undefined || !('content' in value || 'text' in value)) return null
  const content = value['content'] ?? value['text']
  const calls = toolCalls(value['tool_calls'] ?? value['toolCalls'])
  const answers = value['tool_call_id'] ?? value['toolCallId']
  const reasoning = reasoningOf(value, content)
  const blocks = contentBlocks(content)
  return {
    id: typeof value['id'] === 'string' ? value['id'] : '',
    role,
    text: textOf(content),
    ...(typeof value['name'] === 'string' && value['name'] !== '' && { name: value['name'] }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof answers === 'string' && { tool_call_id: answers }),
    ...((value['status'] === 'success' || value['status'] === 'error') && { status: value['status'] }),
    ...(reasoning !== '' && { reasoning }),
    ...(blocks !== undefined && { content: blocks }),
  }
}

/** The text of a message's content: a string, or blocks of which only text counts. */
export function textOf(content: unknown): string {
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

function reasoningOf(message: Record<string, unknown>, content: unknown): string {
  if (typeof message['reasoning'] === 'string') return message['reasoning']
  const extra = message['additional_kwargs']
  if (isRecord(extra) && typeof extra['reasoning_content'] === 'string') return extra['reasoning_content']
  if (!Array.isArray(content)) return ''
  return content
    .map((block: unknown) => {
      if (!isRecord(block)) return ''
      const said =
        block['type'] === 'reasoning'
          ? block['reasoning']
          : block['type'] === 'thinking'
            ? block['thinking']
            : ''
      return typeof said === 'string' ? said : ''
    })
    .join('')
}

/** LangChain's `{id, name, args}` and OpenAI's `{id, function: {name, arguments}}`. */
function toolCalls(value: unknown): readonly ToolCall[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((call: unknown) => {
    if (!isRecord(call)) return []
    const inner = isRecord(call['function']) ? call['function'] : call
    const name = inner['name']
    if (typeof name !== 'string') return []
    const args = inner['args'] ?? inner['arguments'] ?? {}
    return [
      {
        id: typeof call['id'] === 'string' ? call['id'] : '',
        name,
        args: typeof args === 'string' ? parsed(args) : coerce(args),
      },
    ]
  })
}

function parsed(text: string): Json {
  try {
    const json: Json = JSON.parse(text)
    return json
  } catch {
    return text
  }
}
