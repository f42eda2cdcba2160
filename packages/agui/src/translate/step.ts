import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Envelope } from '@clewline/core'
import { entryOf, growOnlyMap } from './grow-only-map.ts'
import { endLlm, startLlm, token } from './llm-step.ts'
import { beginRun } from './run-boundary.ts'
import { endTool, failCall, startTool, updateTool } from './tool-step.ts'
import type { TranslatorState } from './translator-state.ts'
import { ownerOf, toolCallName } from './transition.ts'
import type { Transition } from './transition.ts'

/** One envelope as AG-UI events. Pure: everything to go on from is in the state that it returns. */
export function step(
  state: TranslatorState,
  envelope: Envelope,
): readonly [TranslatorState, readonly Event[]] {
  if (envelope.type === 'llm_token') {
    const quick = continuation(state, envelope)
    if (quick !== null) return [state, [quick]]
  }
  const next: Transition = { state: { ...state }, out: [] }
  if (follows(next, envelope)) apply(next, envelope)
  return [next.state, next.out]
}

type Token = Extract<Envelope, { type: 'llm_token' }>

/** The usual case: one more piece of what is already open. It changes nothing in the state and costs no copy. */
function continuation(state: TranslatorState, { call_id, payload }: Token): Event | null {
  const call = state.calls[call_id]
  if (call === undefined || payload.text === '' || state.phase === 'over') return null
  if (call.owner !== null && !state.dialect.subagents) return null
  const owner = call.owner === null ? undefined : { subagentRunId: call.owner }
  const delta = payload.text
  switch (payload.channel ?? 'text') {
    case 'text':
      return call.message?.isTextOpen
        ? { type: EventType.TEXT_MESSAGE_CONTENT, messageId: call.message.id, delta, ...owner }
        : null
    case 'reasoning':
      return call.message?.reasoning
        ? { type: EventType.REASONING_MESSAGE_CONTENT, messageId: call.message.reasoning, delta, ...owner }
        : null
    case 'tool_args': {
      const id = toolCallName(state.toolCalls, call.owner, payload.tool_call?.id ?? '')
      return entryOf(state.toolCalls, id)?.isOpen
        ? { type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta, ...owner }
        : null
    }
  }
}

/** Opens the run that the envelope belongs to. False for what comes after the end, or closes an abandoned trace. */
function follows(next: Transition, envelope: Envelope): boolean {
  const { state } = next
  const isRoot = envelope.parent_id === null
  const isRootStart = isRoot && envelope.type === 'tool_start'
  if (state.trace !== null && envelope.trace_id !== state.trace && !isRootStart) return false
  if (isRootStart && envelope.trace_id !== state.trace) {
    state.calls = {}
    state.toolCalls = growOnlyMap()
    state.streaming = []
  }
  if (state.phase === 'over' && state.run === envelope.run_id && !isRootStart) return false
  if (state.phase === 'over' || state.run !== envelope.run_id) beginRun(next, envelope.run_id)
  state.trace = envelope.trace_id
  return true
}

function apply(next: Transition, envelope: Envelope): void {
  switch (envelope.type) {
    case 'tool_start':
      return startTool(next, envelope)
    case 'tool_update':
      return updateTool(next, envelope)
    case 'tool_end':
      return endTool(next, envelope)
    case 'llm_start':
      return startLlm(next, envelope)
    case 'llm_token':
      return token(next, envelope)
    case 'llm_end':
      return endLlm(next, envelope)
    case 'error':
      return failCall(next, envelope)
    case 'subgraph_checkpoint': {
      const call = next.state.calls[envelope.call_id]
      const owner = call?.kind === 'subagent' ? ownerOf(call) : (call?.owner ?? null)
      const raised = (envelope.payload.interrupts ?? []).map((one) => ({ ...one, owner }))
      if (raised.length > 0) next.state.interrupts = [...next.state.interrupts, ...raised]
      return
    }
    case 'subgraph_resume':
      return
    case 'warning':
      next.out.push({ type: EventType.CUSTOM, name: 'warning', value: envelope.payload })
      return
  }
}
