import { coerce, type ToolCall, type Usage } from '@skein/core'
import { messageOf } from '@skein/core/source'
import { isRecord } from '../is-record.ts'
import type { LlmEnd } from './payloads.ts'

/** What a model call ended with. `message` is LangChain's, in any of its forms. */
export function modelEnd(message: unknown, fallback: { id: string; text?: string; usage?: unknown }): LlmEnd {
  const said = messageOf(message)
  const fields = fieldsOf(message)
  const tool_calls = (said?.tool_calls ?? []).map(({ id, name, args }): ToolCall => ({
    id,
    name,
    args: coerce(args),
  }))
  return {
    usage: usageOf(fields['usage_metadata'] ?? fallback.usage),
    finish_reason: finishReason(fields['response_metadata'], tool_calls.length > 0),
    message: {
      id: said?.id || fallback.id,
      text: said?.text ?? fallback.text ?? '',
      tool_calls,
      ...(said?.reasoning !== undefined && { reasoning: said.reasoning }),
    },
  }
}

/** Counts in LangChain's form (`usage_metadata`) or in the older one (`tokenUsage`). */
export function usageOf(value: unknown): Usage {
  if (!isRecord(value)) return {}
  const usage: Record<string, number> = {}
  const put = (key: string, count: unknown): void => {
    if (typeof count === 'number' && Number.isFinite(count)) usage[key] = count
  }
  put('input_tokens', value['input_tokens'] ?? value['promptTokens'])
  put('output_tokens', value['output_tokens'] ?? value['completionTokens'])
  put('total_tokens', value['total_tokens'] ?? value['totalTokens'])
  if (isRecord(value['input_token_details'])) put('cached_tokens', value['input_token_details']['cache_read'])
  if (isRecord(value['output_token_details']))
    put('reasoning_tokens', value['output_token_details']['reasoning'])
  return usage
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
