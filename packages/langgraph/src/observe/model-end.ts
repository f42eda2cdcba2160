import { coerce, type Envelope, isRecord, type ToolCall } from '@clewline/core'
import { messageOf, usageOf } from '@clewline/core/message'
import { rawOf } from '../record/record-value.ts'

type LlmEnd = Extract<Envelope, { type: 'llm_end' }>['payload']

/** What is known of an answer besides the message itself. */
export interface AnswerFacts {
  readonly text?: string
  readonly usage?: unknown
  /** False for a message that was put together from its pieces. */
  readonly isWhole?: boolean
}

/** What a model call ended with. `message` is LangChain's, in any of its forms. */
export function modelEnd(message: unknown, fallback: AnswerFacts & { readonly id: string }): LlmEnd {
  const known = messageOf(message)
  const fields = fieldsOf(message)
  const tool_calls = (known?.tool_calls ?? []).map(({ id, name, args }): ToolCall => ({
    id,
    name,
    args: coerce(args),
  }))
  return {
    usage: usageOf(fields['usage_metadata'] ?? fallback.usage),
    finish_reason: finishReason(fields['response_metadata'], tool_calls.length > 0),
    message: {
      id: known?.id || fallback.id,
      text: known?.text ?? fallback.text ?? '',
      tool_calls,
      ...(known?.reasoning !== undefined && { reasoning: known.reasoning }),
      ...(known?.content !== undefined && { content: known.content }),
    },
    ...(known !== null && fallback.isWhole !== false && { raw: rawOf(message) }),
  }
}

/** The fields of a message, also of one that was serialised with `lc: 1`. */
export function fieldsOf(message: unknown): Record<string, unknown> {
  if (!isRecord(message)) return {}
  return message['lc'] === 1 && isRecord(message['kwargs']) ? message['kwargs'] : message
}

function finishReason(metadata: unknown, hasToolCalls: boolean): string {
  if (isRecord(metadata))
    for (const key of ['finish_reason', 'stop_reason', 'done_reason', 'finishReason']) {
      const reason = metadata[key]
      if (typeof reason === 'string' && reason !== '') return reason
    }
  return hasToolCalls ? 'tool_calls' : 'stop'
}
