import type { CallKind, ToolCall, Usage } from '@clewline/core'
import type { CallPath } from '@clewline/core/source'
import { addUsage } from '@clewline/core/message'

/** A call of the run that is being observed: a graph, a sub-agent, a tool or a model. */
export interface Call {
  readonly path: CallPath
  readonly kind: CallKind | 'llm'
  readonly name: string
  readonly agent: string
  readonly parent: Call | null
  /** The node it runs in. */
  readonly node: string | undefined
  readonly toolCallId: string | undefined
  /** Cleared by its own end; calls left open at a pause are those that wait, or are cancelled. */
  isOpen: boolean
  /** Tokens spent by it and in it. */
  usage: Usage
  /** What graphs know besides; null for tools and models. A `task` tool gets it when its graph starts. */
  graph: GraphCall | null
}

export interface GraphCall {
  /** The last state that was saved. */
  saved: { readonly checkpointId: string; readonly digest: string } | null
  /** Which nodes ran in which step, until that step is saved. */
  readonly nodes: Map<number, string[]>
  /** The task in which each tool-call id was first seen: some models use an id twice. */
  readonly toolTasks: Map<string, string>
  /** What the model asked for last, to tell which tool call an approval is about. */
  toolCalls: readonly ToolCall[]
  /** Where it goes on from, in a run that resumes. */
  resumedFrom: string | null
}

export function graphCall(): GraphCall {
  return { saved: null, nodes: new Map(), toolTasks: new Map(), toolCalls: [], resumedFrom: null }
}

/** True when `call` is `outer` or inside it. */
export function isWithin(call: Call | null, outer: Call): boolean {
  for (let at = call; at !== null; at = at.parent) if (at === outer) return true
  return false
}

/** Counts what a call has used, at it and at every call around it. */
export function spend(call: Call, usage: Usage): void {
  for (let at: Call | null = call; at !== null; at = at.parent) at.usage = addUsage(at.usage, usage)
}
