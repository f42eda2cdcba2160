import type { Json } from '@clewline/core'
import type { Draft } from '@clewline/core/source'
import { type Call, checkpointAround } from './calls.ts'
import type { ObservedRun } from './observed-run.ts'

type Start = Extract<Draft, { type: 'tool_start' | 'llm_start' }>

/** What a run depends on besides its input. */
export type Depends = Pick<Extract<Start, { type: 'tool_start' }>['payload'], 'config' | 'context' | 'code'>

/** Begins the run itself, or resumes it when an earlier run of the trace left it open. */
export async function beginRun(
  run: ObservedRun,
  input: Json,
  from: { readonly checkpointId: string; readonly node: string },
  depends: Depends = {},
): Promise<void> {
  const { root } = run.calls
  const { path, agent, name } = root
  if (run.facts.claimOpen(path)) return run.emit(resumeDraft({ ...root, node: from.node }, from.checkpointId))
  await run.emit({
    type: 'tool_start',
    path,
    agent,
    payload: { tool_name: name, kind: 'graph', input, ...depends },
  })
}

/**
 * Begins a call. One that an earlier run left open is resumed: a node or tool that asked a human continues where it
 * asked; a graph continues from its checkpoint, which LangGraph names a moment later, so its start is deferred until then.
 */
export async function beginCall(run: ObservedRun, call: Call, start: Start): Promise<void> {
  if (call.parent !== null) await beginHeld(run, call.parent)
  call.isOpen = true
  run.calls.open.add(call)
  if (!run.facts.claimOpen(call.path)) return run.emit(start)
  if (call.kind === 'subgraph' || call.kind === 'subagent') {
    run.calls.held.set(call, start)
    return
  }
  const isResumed = run.facts.kind === 'resume' && call.kind !== 'llm'
  return run.emit(isResumed ? resumeDraft(call, checkpointAround(call)) : start)
}

/**
 * Flushes a deferred start. Something happens inside the call before LangGraph has named a checkpoint: so its graph
 * did not continue from one.
 */
export async function beginHeld(run: ObservedRun, call: Call): Promise<void> {
  const { held } = run.calls
  if (call.parent !== null && held.size > 0) await beginHeld(run, call.parent)
  const start = held.get(call)
  if (start === undefined) return
  held.delete(call)
  await run.emit(run.facts.kind === 'resume' ? resumeDraft(call, checkpointAround(call)) : start)
}

/** Resumes a graph, once LangGraph has named the checkpoint that it continues from. */
export async function resumeCall(run: ObservedRun, call: Call, checkpointId: string): Promise<void> {
  if (call.graph !== null) call.graph.resumedFrom = checkpointId
  run.calls.held.delete(call)
  // The root was resumed before LangGraph was asked to run.
  if (call !== run.calls.root || run.facts.kind === 'input') await run.emit(resumeDraft(call, checkpointId))
}

export function resumeDraft(call: Call, checkpoint_id: string): Draft {
  const node = call.kind === 'node' ? call.name : (call.node ?? '')
  const payload = { checkpoint_id, node }
  return { type: 'subgraph_resume', path: call.path, agent: call.agent, payload }
}
