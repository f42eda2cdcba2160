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

/** The inside of a node: `tools:<task id>` is the last part of the namespace. */
export function taskScope(graph: Scope, node: string, namespace: string, step: number): Scope {
  const task = namespace.slice(namespace.lastIndexOf(':') + 1)
  const prefix = [...graph.call.path, task === '' ? node : task]
  return scopeOf({ call: graph.call, prefix, isGraph: false, node, task, step, parent: graph })
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
export function toolPath(
  scope: Scope,
  name: string,
  id: string | undefined,
  isOpen: (path: CallPath) => boolean,
): CallPath {
  if (id === undefined || id === '') {
    const ordinal = scope.started.tools.get(name) ?? 0
    scope.started.tools.set(name, ordinal + 1)
    return [...scope.prefix, `${name}:${ordinal}`]
  }
  const plain = [...scope.call.path, id]
  const inTask = [...scope.call.path, `${id}@${scope.task}`]
  const tasks = scope.call.graph?.toolTasks
  const first = tasks?.get(id)
  if (first === undefined && !isOpen(inTask)) tasks?.set(id, scope.task)
  else if (first !== scope.task) return inTask
  return plain
}

/** A graph that a node or a tool runs. */
export function graphPath(scope: Scope): CallPath {
  return [...scope.prefix, `graph:${scope.started.graph++}`]
}
