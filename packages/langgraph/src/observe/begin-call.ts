import type { JsonObject } from '@clewline/core'
import type { CallPath, Draft } from '@clewline/core/source'
import { type Call, graphCall } from './call.ts'
import type { ObservedRun } from './observed-run.ts'
import type { Scope } from './scope.ts'

type Start = Extract<Draft, { type: 'tool_start' | 'llm_start' }>

export type NewCall = Pick<Call, 'path' | 'kind' | 'name' | 'agent' | 'toolCallId'>

export function newCall(call: NewCall, scope: Scope): Call {
  const graph = call.kind === 'graph' || call.kind === 'subgraph' ? graphCall() : null
  return { ...call, parent: scope.call, node: scope.node, isOpen: false, usage: {}, graph }
}

/**
 * Says that a call starts. One that an earlier run left open goes on instead: a tool that asked a human goes on where
 * it asked; a graph goes on from its checkpoint, which LangGraph names a moment later, so its start is held until then.
 */
export async function beginCall(run: ObservedRun, call: Call, start: Start): Promise<void> {
  if (call.parent !== null) await beginHeld(run, call.parent)
  call.isOpen = true
  run.open.add(call)
  if (!run.wasOpen(call.path)) return run.emit(start)
  if (call.kind === 'subgraph' || call.kind === 'subagent') {
    run.held.set(call, start)
    return
  }
  return run.emit(run.kind === 'resume' && call.kind === 'tool' ? resume(call, savedAt(call)) : start)
}

/** Something happens inside a held call before its graph has gone on: then it did not go on from a checkpoint. */
export async function beginHeld(run: ObservedRun, call: Call): Promise<void> {
  if (call.parent !== null && run.held.size > 0) await beginHeld(run, call.parent)
  const start = run.held.get(call)
  if (start === undefined) return
  run.held.delete(call)
  await run.emit(run.kind === 'resume' ? resume(call, savedAt(call)) : start)
}

/** LangGraph says that a graph goes on from a checkpoint. */
export async function resumeCall(run: ObservedRun, call: Call, checkpointId: string): Promise<void> {
  if (call.graph !== null) call.graph.resumedFrom = checkpointId
  run.held.delete(call)
  // The root's was said before LangGraph was asked to run.
  if (call !== run.root || run.kind === 'input') await run.emit(resume(call, checkpointId))
}

export function resume(call: Call, checkpoint_id: string): Draft {
  const payload = { checkpoint_id, node: call.node ?? '' }
  return { type: 'subgraph_resume', path: call.path, agent: call.agent, payload }
}

/** The newest known checkpoint of the graphs around a call. */
function savedAt(call: Call): string {
  for (let at: Call | null = call; at !== null; at = at.parent) {
    const id = at.graph?.resumedFrom ?? at.graph?.saved?.checkpointId
    if (id !== undefined) return id
  }
  return ''
}

/** Says how a call ended, once. */
export async function endCall(run: ObservedRun, call: Call, end: EndDraft): Promise<void> {
  if (!call.isOpen) return
  await beginHeld(run, call)
  call.isOpen = false
  run.open.delete(call)
  await run.emit({ ...end, path: call.path, agent: call.agent })
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

type Unplaced<D> = D extends Draft ? Omit<D, 'path' | 'agent'> : never
type EndDraft = Unplaced<Extract<Draft, { type: 'tool_end' | 'llm_end' | 'error' }>>

export interface WarningFacts extends JsonObject {
  readonly code: string
  readonly message: string
}

export function warning(path: CallPath, agent: string, facts: WarningFacts): Draft {
  return { type: 'warning', path, agent, payload: facts }
}
