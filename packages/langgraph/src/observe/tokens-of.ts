import { coerce, type Envelope, isRecord } from '@clewline/core'

export type LlmToken = Extract<Envelope, { type: 'llm_token' }>['payload']

/** The tool calls of one model call that have begun to stream, by index: later pieces come without id and name. */
export type StreamedCalls = Map<number, { id: string; name: string }>

/**
 * The tokens in a chunk of a model's answer: text, reasoning and arguments of tool calls. The hot path: most chunks hold
 * one, and plain text costs one check and one object.
 */
export function tokensOf(
  message: unknown,
  calls: StreamedCalls,
  logprob?: number,
): readonly LlmToken[] | LlmToken | null {
  if (!isRecord(message)) return null
  const { content, tool_call_chunks: chunks, additional_kwargs: extra } = message
  const reasoning = isRecord(extra) ? extra['reasoning_content'] : undefined
  const hasChunks = Array.isArray(chunks) && chunks.length > 0
  if (typeof content === 'string' && !hasChunks && reasoning === undefined) {
    if (content === '') return null
    return logprob === undefined ? { text: content } : { text: content, logprob }
  }
  const out: LlmToken[] = []
  if (typeof reasoning === 'string' && reasoning !== '') out.push({ text: reasoning, channel: 'reasoning' })
  if (typeof content === 'string' && content !== '') out.push({ text: content })
  else if (Array.isArray(content)) for (const block of content) pushBlock(block, out)
  if (hasChunks) for (const chunk of chunks) pushToolCall(chunk, calls, out)
  return out
}

function pushBlock(block: unknown, out: LlmToken[]): void {
  if (typeof block === 'string') {
    if (block !== '') out.push({ text: block })
    return
  }
  if (!isRecord(block)) return
  const { type, text, reasoning, thinking } = block
  if (type === 'text' && typeof text === 'string' && text !== '') out.push({ text })
  if (type === 'reasoning' && typeof reasoning === 'string' && reasoning !== '')
    out.push({ text: reasoning, channel: 'reasoning' })
  if (type === 'thinking' && typeof thinking === 'string' && thinking !== '')
    out.push({ text: thinking, channel: 'reasoning' })
}

function pushToolCall(chunk: unknown, calls: StreamedCalls, out: LlmToken[]): void {
  if (!isRecord(chunk)) return
  const index = typeof chunk['index'] === 'number' ? chunk['index'] : calls.size
  const known = calls.get(index)
  const id = typeof chunk['id'] === 'string' && chunk['id'] !== '' ? chunk['id'] : (known?.id ?? '')
  const name = typeof chunk['name'] === 'string' && chunk['name'] !== '' ? chunk['name'] : (known?.name ?? '')
  if (known === undefined || known.id !== id || known.name !== name) calls.set(index, { id, name })
  const args = chunk['args']
  const text =
    typeof args === 'string'
      ? args
      : typeof args === 'object' && args !== null
        ? JSON.stringify(coerce(args))
        : ''
  out.push({ text, channel: 'tool_args', tool_call: { id, name, index } })
}
