import { isRecord, type RawMessage } from '@clewline/core'
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from '@langchain/core/messages'

/** The LangChain message that was recorded: of the same class, with equal fields. */
export function messageFrom(raw: RawMessage): BaseMessage {
  const { type, chunk, ...recorded } = copyOf(raw)
  const isChunk = chunk === true
  const fields = { ...defaults(type === 'ai', isChunk), ...recorded }
  // Constructors parse, collapse and make up fields; what was recorded is what they had made. LangChain writes a message
  // down by the keys of `lc_kwargs`.
  return Object.assign(construct(String(type), isChunk, fields), fields, { lc_kwargs: { ...fields } })
}

/** What the record leaves out when it is empty. */
function defaults(isAnswer: boolean, isChunk: boolean): object {
  return {
    additional_kwargs: {},
    response_metadata: {},
    ...(isAnswer && { tool_calls: [], invalid_tool_calls: [] }),
    ...(isAnswer && isChunk && { tool_call_chunks: [] }),
  }
}

function construct(type: string, isChunk: boolean, fields: Record<string, unknown>): BaseMessage {
  const given = { ...fields, content: contentOf(fields['content']) }
  const id = typeof fields['id'] === 'string' ? fields['id'] : ''
  const tool_call_id = typeof fields['tool_call_id'] === 'string' ? fields['tool_call_id'] : ''
  const role = typeof fields['role'] === 'string' ? fields['role'] : ''
  const name = typeof fields['name'] === 'string' ? fields['name'] : ''
  switch (type) {
    case 'ai':
      return isChunk ? new AIMessageChunk(given) : new AIMessage(given)
    case 'human':
      return isChunk ? new HumanMessageChunk(given) : new HumanMessage(given)
    case 'system':
    case 'developer':
      return isChunk ? new SystemMessageChunk(given) : new SystemMessage(given)
    case 'tool':
      return isChunk
        ? new ToolMessageChunk({ ...given, tool_call_id })
        : new ToolMessage({ ...given, tool_call_id })
    case 'function':
      return isChunk ? new FunctionMessageChunk({ ...given, name }) : new FunctionMessage({ ...given, name })
    case 'remove':
      return new RemoveMessage({ ...fields, id })
    default:
      return isChunk ? new ChatMessageChunk({ ...given, role }) : new ChatMessage({ ...given, role })
  }
}

/** Blocks as they are: LangChain's types list those that it knows, providers have more. */
function contentOf(content: unknown): string | { type: string }[] {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : ''
  return content.filter((block): block is { type: string } => isRecord(block))
}

/** Messages are changed in place by reducers and middleware; the record is not. */
const copyOf = (raw: RawMessage): Record<string, unknown> => structuredClone(raw)
