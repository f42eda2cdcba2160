import { coerce, isRecord, type ToolCall } from '@clewline/core'
import { fieldsOf } from '../observe/model-end.ts'
import { type StreamedCalls, tokensOf } from '../observe/tokens-of.ts'

/** Accumulates a model's answer from its chunks, for streams that never give it whole. */
export interface GatheredMessage {
  add(piece: unknown): void
  /** In LangChain's form. */
  whole(): Record<string, unknown>
}

export function gatherMessage(id: string): GatheredMessage {
  const calls: StreamedCalls = new Map()
  const args = new Map<number, string>()
  let content = ''
  let reasoning = ''
  let usage: unknown
  let metadata: Record<string, unknown> = {}

  return {
    add(piece) {
      const fields = fieldsOf(piece)
      const tokens = tokensOf(fields, calls)
      for (const { text, channel, tool_call: call } of tokens === null ? [] : [tokens].flat()) {
        if (channel === 'reasoning') reasoning += text
        else if (call !== undefined) args.set(call.index, (args.get(call.index) ?? '') + text)
        else content += text
      }
      usage = fields['usage_metadata'] ?? usage
      if (isRecord(fields['response_metadata'])) metadata = { ...metadata, ...fields['response_metadata'] }
    },
    whole() {
      const tool_calls = [...calls].map(([index, { id: call, name }]): ToolCall => ({
        id: call,
        name,
        args: parsed(args.get(index) ?? ''),
      }))
      return {
        type: 'ai',
        id,
        content,
        tool_calls,
        usage_metadata: usage,
        response_metadata: metadata,
        ...(reasoning !== '' && { additional_kwargs: { reasoning_content: reasoning } }),
      }
    },
  }
}

function parsed(text: string): ToolCall['args'] {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    return typeof value === 'object' && value !== null ? coerce(value) : text
  } catch {
    return text
  }
}
