import type { LlmToken } from '../envelope.ts'
import type { Mutable } from './cow-map.ts'
import type { Call } from './view.ts'

/** Adds a piece to what the call has said so far, on its channel. */
export function appendToken(envelope: LlmToken, call: Mutable<Call>): void {
  const { text, channel = 'text', tool_call } = envelope.payload
  call.first_token_at ??= envelope.ts
  if (channel === 'text') call.text += text
  else if (channel === 'reasoning') call.reasoning += text
  else if (tool_call !== undefined) {
    const at = call.tool_calls.findIndex((known) => known.index === tool_call.index)
    const before = call.tool_calls[at]
    const after = {
      id: tool_call.id === '' ? (before?.id ?? '') : tool_call.id,
      name: tool_call.name === '' ? (before?.name ?? '') : tool_call.name,
      index: tool_call.index,
      args: (before?.args ?? '') + text,
    }
    call.tool_calls = at === -1 ? [...call.tool_calls, after] : call.tool_calls.with(at, after)
  }
}
