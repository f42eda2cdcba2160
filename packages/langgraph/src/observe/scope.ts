import type { CallPath } from '@clewline/core/source'
import type { Call } from './calls.ts'

/**
 * What a LangChain run id stands for: the inside of a call, or of one task (a run of a node) in a graph. Chains that
 * are neither share the scope around them. Run ids change at every resume, so nothing of them goes into a path.
 */
export interface Scope {
  /** The call in which things happen here. */
  readonly call: Call
  /** Paths of what starts here begin with this. */
  readonly prefix: CallPath
  /** True directly inside a graph, where chains are nodes. */
  readonly isGraph: boolean
  readonly node: string | undefined
  /** LangGraph's task id, which survives a resume. */
  readonly task: string
  readonly step: number
  readonly parent: Scope | null
  /** How many calls of each kind have started here. */
  readonly started: { llm: number; graph: number; readonly tools: Map<string, number> }
  /** Model calls that failed here: the next one with the same prompt is their next attempt. */
  readonly failed: Map<unknown, number>
}

type Where = Pick<Scope, 'call' | 'prefix' | 'isGraph' | 'node' | 'task' | 'step' | 'parent'>

function scopeOf(where: Where): Scope {
  return { ...where, started: { llm: 0, graph: 0, tools: new Map() }, failed: new Map() }
}

/** The inside of a node. One that is plumbing is no call of its own: what happens in it happens in its graph. */
export function taskScope(around: Scope, call: Call, { node, task, step }: TaskPlace): Scope {
  const prefix = call === around.call ? [...call.path, task] : call.path
  return scopeOf({ call, prefix, isGraph: false, node, task, step, parent: around })
}

/** Where a node stands in its graph. */
export interface TaskPlace {
  readonly node: string
  readonly task: string
  readonly step: number
}

/** The inside of a call that is not a graph. */
export function callScope(call: Call, around: Scope): Scope {
  const { node, task, step } = around
  return scopeOf({ call, prefix: call.path, isGraph: false, node, task, step, parent: around })
}

/** The inside of a graph. */
export function graphScope(call: Call, around: Scope | null): Scope {
  return scopeOf({
    call,
    prefix: call.path,
    isGraph: true,
    node: undefined,
    task: '',
    step: around?.step ?? 0,
    parent: around,
  })
}

/** The ordinal of a model call in its task. A retry of the same prompt is the same call. */
export function modelPath(scope: Scope, prompt: unknown): { path: CallPath; ordinal: number } {
  const failed = scope.failed.get(prompt)
  scope.failed.delete(prompt)
  const ordinal = failed ?? scope.started.llm++
  return { path: [...scope.prefix, `llm:${ordinal}`], ordinal }
}

/** A tool call is known by the model's id for it; a tool that code calls by itself, by its name and ordinal. */
export function toolPath(scope: Scope, name: string, id: string | undefined): CallPath {
  if (id !== undefined && id !== '') return [...scope.prefix, id]
  const ordinal = scope.started.tools.get(name) ?? 0
  scope.started.tools.set(name, ordinal + 1)
  return [...scope.prefix, `${name}:${ordinal}`]
}

/** A graph that a node or a tool runs. */
export function graphPath(scope: Scope): CallPath {
  return [...scope.prefix, `graph:${scope.started.graph++}`]
}
