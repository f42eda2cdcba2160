import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import type { Envelope } from '@clewline/core'
import { entryOf, layered } from './layered.ts'
import { endLlm, startLlm, token } from './llm-step.ts'
import { beginRun } from './run-boundary.ts'
import { endTool, failCall, startTool, updateTool } from './tool-step.ts'
import type { TranslatorState } from './translator-state.ts'
import { ownerOf, toolCallName } from './work.ts'
import type { Work } from './work.ts'

/** One envelope as AG-UI events. Pure: everything to go on from is in the state that it returns. */
export function step(
  state: TranslatorState,
  envelope: Envelope,
): readonly [TranslatorState, readonly Event[]] {
  if (envelope.type === 'llm_token') {
    const quick = continuation(state, envelope)
    if (quick !== null) return [state, [quick]]
  }
  const work: Work = { state: { ...state }, out: [] }
  if (follows(work, envelope)) apply(work, envelope)
  return [work.state, work.out]
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
function follows(work: Work, envelope: Envelope): boolean {
  const { state } = work
  const isRoot = envelope.parent_id === null
  const isRootStart = isRoot && envelope.type === 'tool_start'
  if (state.trace !== null && envelope.trace_id !== state.trace && !isRootStart) return false
  if (isRootStart && envelope.trace_id !== state.trace) {
    state.calls = {}
    state.toolCalls = layered()
    state.streaming = []
  }
  if (state.phase === 'over' && state.run === envelope.run_id && !isRootStart) return false
  if (state.phase === 'over' || state.run !== envelope.run_id) beginRun(work, envelope.run_id)
  state.trace = envelope.trace_id
  return true
}

function apply(work: Work, envelope: Envelope): void {
  switch (envelope.type) {
    case 'tool_start':
      return startTool(work, envelope)
    case 'tool_update':
      return updateTool(work, envelope)
    case 'tool_end':
      return endTool(work, envelope)
    case 'llm_start':
      return startLlm(work, envelope)
    case 'llm_token':
      return token(work, envelope)
    case 'llm_end':
      return endLlm(work, envelope)
    case 'error':
      return failCall(work, envelope)
    case 'subgraph_checkpoint': {
      const call = work.state.calls[envelope.call_id]
      const owner = call?.kind === 'subagent' ? ownerOf(call) : (call?.owner ?? null)
      const raised = (envelope.payload.interrupts ?? []).map((one) => ({ ...one, owner }))
      if (raised.length > 0) work.state.interrupts = [...work.state.interrupts, ...raised]
      return
    }
    case 'subgraph_resume':
      return
    case 'warning':
      work.out.push({ type: EventType.CUSTOM, name: 'warning', value: envelope.payload })
      return
  }
}
