import type { Envelope, LlmStart, ToolStart } from '../envelope.ts'
import type { Mutable } from './cow-map.ts'
import type { Call } from './view.ts'

/** A new attempt clears what the call itself had shown; its children and what it cost stay. */
export function beginCall(envelope: ToolStart | LlmStart, call: Mutable<Call>): void {
  const { attempt = 1 } = envelope.payload
  const blank = emptyCall(envelope, call.parent_id, call.first)
  const { children, usage, total, seq, last } = call
  const started_at = attempt > 1 ? call.started_at : envelope.ts
  Object.assign(call, blank, { children, usage, total, seq, last, attempt, started_at })
}

/** A call of which nothing is known yet but that it spoke. `first` is the number of that entry. */
export function emptyCall(envelope: Envelope, parent_id: string | null, first: number): Mutable<Call> {
  return {
    id: envelope.call_id,
    parent_id,
    trace_id: envelope.trace_id,
    run_id: envelope.run_id,
    kind: 'tool',
    name: '',
    agent: envelope.agent,
    node: undefined,
    tool_call_id: undefined,
    status: 'running',
    attempt: 1,
    origin: envelope.origin,
    started_at: envelope.ts,
    ended_at: null,
    first_token_at: null,
    input: null,
    children: [],
    text: '',
    reasoning: '',
    content: undefined,
    tool_calls: [],
    message_id: undefined,
    finish_reason: undefined,
    progress: undefined,
    data: undefined,
    result: undefined,
    error: undefined,
    usage: {},
    total: {},
    checkpoint_id: undefined,
    first,
    last: first,
    seq: 0,
  }
}
