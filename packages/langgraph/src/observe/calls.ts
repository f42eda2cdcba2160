import { isRecord, type CallKind, type ToolCall, type Usage } from '@clewline/core'
import { addUsage } from '@clewline/core/message'
import type { CallPath, Draft } from '@clewline/core/source'
import { graphScope, type Scope } from './scope.ts'

/** A call of the run that is being observed: a graph, a node, a sub-agent, a tool or a model. */
export interface Call {
  readonly path: CallPath
  readonly kind: CallKind | 'llm'
  readonly name: string
  readonly agent: string
  readonly parent: Call | null
  /** The node it runs in. */
  readonly node: string | undefined
  readonly toolCallId: string | undefined
  /** Cleared by its own end; calls still open at an interrupt wait for the answer, or are cancelled. */
  isOpen: boolean
  /** Tokens spent by it and in it. */
  usage: Usage
  /** What graphs know besides; null for nodes, tools and models. A `task` tool gets it when its graph starts. */
  graph: GraphCall | null
}

export interface GraphCall {
  /** The last state that was saved. */
  saved: { readonly checkpointId: string; readonly digest: string } | null
  /** Which nodes ran in which step, until that step is saved. */
  readonly nodes: Map<number, string[]>
  /** Tool-call ids that have begun: for streams that leave them out. */
  readonly begunTools: Set<string>
  /** What the model asked for last: an approval names its tool call by name and arguments only. */
  toolCalls: readonly ToolCall[]
  /** The checkpoint that it continues from, in a run that resumes. */
  resumedFrom: string | null
}

/** The calls of one run, and where LangChain's run ids and LangGraph's graphs stand among them. */
export interface Calls {
  readonly root: Call
  readonly rootScope: Scope
  /** By LangChain's run id, while that run is going on. */
  readonly scopes: Map<string, Scope>
  /** The graphs that were started under a run id, in order. */
  readonly graphs: Map<string, Call[]>
  /** The scope directly inside a graph. */
  readonly inside: WeakMap<Call, Scope>
  /** Calls that have started and not ended, in the order of their start. */
  readonly open: Set<Call>
  /** Deferred starts of calls that an earlier run left open: emitted as a resume or as a new attempt. */
  readonly held: Map<Call, Draft>
}

/** A run's calls at its start: the root alone, open. */
export function createCalls(name: string): Calls {
  const root = newCall({ path: [], kind: 'graph', name, agent: name, toolCallId: undefined }, null)
  root.isOpen = true
  const rootScope = graphScope(root, null)
  return {
    root,
    rootScope,
    scopes: new Map(),
    graphs: new Map(),
    inside: new WeakMap([[root, rootScope]]),
    open: new Set([root]),
    held: new Map(),
  }
}

type NewCall = Pick<Call, 'path' | 'kind' | 'name' | 'agent' | 'toolCallId'>

export function newCall(call: NewCall, around: Scope | null): Call {
  const graph = call.kind === 'graph' || call.kind === 'subgraph' ? newGraph() : null
  return { ...call, parent: around?.call ?? null, node: around?.node, isOpen: false, usage: {}, graph }
}

export function newGraph(): GraphCall {
  return { saved: null, nodes: new Map(), begunTools: new Set(), toolCalls: [], resumedFrom: null }
}

/** The scope of a run id; the root's for a run whose parent was never announced. */
export function scopeFor(calls: Calls, id: string | undefined): Scope {
  return (id === undefined ? undefined : calls.scopes.get(id)) ?? calls.rootScope
}

/** The scope of a run id that ends. */
export function takeScope(calls: Calls, id: string): Scope | undefined {
  const scope = calls.scopes.get(id)
  calls.scopes.delete(id)
  return scope
}

/** LangChain's id of the run that a config was made inside of. */
export function parentRun(config: unknown): string | undefined {
  if (!isRecord(config) || !isRecord(config['callbacks'])) return undefined
  const { callbacks } = config
  const id = typeof callbacks['getParentRunId'] === 'function' ? callbacks['getParentRunId']() : undefined
  return typeof id === 'string' ? id : undefined
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

/** The graph that a call is, or is in. */
export function graphAround(call: Call): GraphCall | null {
  for (let at: Call | null = call; at !== null; at = at.parent) if (at.graph !== null) return at.graph
  return null
}

/** The newest known checkpoint of the graphs around a call. */
export function checkpointAround(call: Call): string {
  for (let at: Call | null = call; at !== null; at = at.parent) {
    const id = at.graph?.resumedFrom ?? at.graph?.saved?.checkpointId
    if (id !== undefined) return id
  }
  return ''
}
