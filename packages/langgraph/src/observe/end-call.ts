import type { Completion, Json, Usage } from '@clewline/core'
import { type CompletionShape, normalise } from '@clewline/core/message'
import type { Draft } from '@clewline/core/source'
import { recordValue } from '../record/record-value.ts'
import { beginHeld } from './begin-call.ts'
import type { Call } from './calls.ts'
import { errorFields, errorOf } from './failure.ts'
import type { ObservedRun } from './observed-run.ts'

type Unplaced<D> = D extends Draft ? Omit<D, 'path' | 'agent'> : never
type End = Unplaced<Extract<Draft, { type: 'tool_end' | 'llm_end' | 'error' }>>

/** Ends a call. Idempotent: the first end counts. */
export async function endCall(run: ObservedRun, call: Call, end: End): Promise<void> {
  if (!call.isOpen) return
  await beginHeld(run, call)
  call.isOpen = false
  run.calls.open.delete(call)
  await run.emit({ ...end, path: call.path, agent: call.agent })
}

/** Ends a graph, or the call that is one with it, with its final state. */
export function completeCall(
  run: ObservedRun,
  call: Call,
  state: unknown,
  { shape, raw }: { readonly shape?: CompletionShape | undefined; readonly raw?: Json } = {},
): Promise<void> {
  const output = recordValue(state)
  const result = { ...completionOf(state, call.usage, shape), ...(output !== null && { output }) }
  const payload = { tool_name: call.name, result, status: 'ok', ...(raw !== undefined && { raw }) } as const
  return endCall(run, call, { type: 'tool_end', payload })
}

/** Ends a call with what it threw. */
export function failCall(run: ObservedRun, call: Call, error: unknown): Promise<void> {
  const { name, message, stack } = errorOf(error)
  const isFirst = run.facts.claimError(error)
  const fields = isFirst ? errorFields(error) : null
  const payload = {
    name: call.name,
    message,
    stack: isFirst ? stack : '',
    class: name,
    ...(fields !== null && { fields }),
  }
  return endCall(run, call, { type: 'error', payload })
}

/** Ends a call that was stopped. */
export function cancelCall(run: ObservedRun, call: Call): Promise<void> {
  if (call.kind !== 'llm') {
    const payload = { tool_name: call.name, result: null, status: 'cancelled' } as const
    return endCall(run, call, { type: 'tool_end', payload })
  }
  const message = { id: '', text: '', tool_calls: [] }
  return endCall(run, call, { type: 'llm_end', payload: { usage: {}, finish_reason: 'cancelled', message } })
}

/**
 * The final state of a graph as `{messages, files, usage}`. Messages are those since the last one of the user: a
 * thread's whole history in every run would make its log grow with the square of its length.
 */
function completionOf(state: unknown, usage: Usage, shape: CompletionShape = {}): Completion {
  const { messages, files, usage: reported } = normalise(state, { shape })
  const last = messages.findLastIndex((message) => message.role === 'user')
  // What was counted call by call is exact; a graph that calls no model may still report usage.
  return {
    messages: messages.slice(last + 1),
    files,
    usage: Object.keys(usage).length > 0 ? usage : reported,
  }
}
