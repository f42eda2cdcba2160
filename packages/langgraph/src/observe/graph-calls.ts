import { coerce, isRecord } from '@clewline/core'
import { beginCall } from './begin-call.ts'
import { type Call, newCall, newGraph, scopeFor, takeScope } from './calls.ts'
import { emitWarning } from './emit-update.ts'
import { completeCall, failCall } from './end-call.ts'
import { errorOf, interruptsOf, isBubbleUp } from './failure.ts'
import type { ObservedRun } from './observed-run.ts'
import { graphPath, graphScope, type Scope, taskScope } from './scope.ts'

export interface ChainRun {
  readonly id: string
  readonly parentId: string | undefined
  readonly name: string
  readonly input: unknown
  /** LangChain's class path, e.g. `langgraph / pregel / CompiledStateGraph`. */
  readonly classPath: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
}

interface Failures {
  readonly error: unknown
  readonly times: number
}

/** Graphs, and the nodes in them. A node is a scope, not a call: what runs in it is a call of its graph. */
export function graphCalls(run: ObservedRun) {
  const { calls, facts } = run
  let hasRoot = false
  const outputs = new WeakMap<Call, unknown>()
  /** By graph, then by task. */
  const failures = new WeakMap<Scope, Map<string, Failures>>()

  async function start(chain: ChainRun): Promise<void> {
    const around = scopeFor(calls, chain.parentId)
    if (!hasRoot && isGraph(chain)) {
      hasRoot = true
      calls.scopes.set(chain.id, calls.rootScope)
    } else if (isGraph(chain)) await startGraph(chain, around)
    else if (around.isGraph) await startNode(chain, around)
    else calls.scopes.set(chain.id, around)
  }

  async function startGraph(chain: ChainRun, around: Scope): Promise<void> {
    // A `task` call and the graph that it runs are one call.
    if (around.call.kind === 'subagent' && around.call.graph === null) {
      around.call.graph = newGraph()
      enter(chain, around.call, around)
      return
    }
    const kind = 'subgraph'
    const { name } = chain
    const call = newCall({ path: graphPath(around), kind, name, agent: name, toolCallId: undefined }, around)
    enter(chain, call, around)
    const { path, agent, node } = call
    const input = coerce(chain.input)
    const payload = { tool_name: name, kind, input, ...(node !== undefined && { node }) } as const
    await beginCall(run, call, { type: 'tool_start', path, agent, payload })
  }

  function enter({ id, parentId = '' }: ChainRun, call: Call, around: Scope): void {
    const scope = graphScope(call, around)
    calls.scopes.set(id, scope)
    calls.inside.set(call, scope)
    calls.graphs.set(parentId, [...(calls.graphs.get(parentId) ?? []), call])
  }

  async function startNode(chain: ChainRun, around: Scope): Promise<void> {
    const { langgraph_node: node, langgraph_step: at, langgraph_checkpoint_ns: namespace } = chain.metadata
    const name = typeof node === 'string' ? node : chain.name
    const step = typeof at === 'number' ? at : 0
    const scope = taskScope(around, name, typeof namespace === 'string' ? namespace : '', step)
    calls.scopes.set(chain.id, scope)
    const nodes = around.call.graph?.nodes
    nodes?.set(step, [...(nodes.get(step) ?? []), name])
    const before = failures.get(around)?.get(scope.task)
    if (before === undefined) return
    const attempt = before.times + 1
    const message = `Node "${name}" failed and runs again: ${errorOf(before.error).message}`
    await emitWarning(run, around.call, { code: 'node-retry', message, node: name, attempt })
  }

  async function end(id: string, output: unknown): Promise<void> {
    const scope = leave(id)
    if (scope === undefined || !scope.isGraph) return
    if (scope === calls.rootScope) facts.output = output
    else if (scope.call.kind === 'subagent') outputs.set(scope.call, output)
    else await completeCall(run, scope.call, output)
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const scope = leave(id)
    if (scope === undefined) return
    facts.noteAsker(interruptsOf(error), scope)
    if (!scope.isGraph) {
      if (scope.parent?.isGraph === true && !isBubbleUp(error)) noteFailure(scope.parent, scope.task, error)
      return
    }
    // The root ends when the run is over, a `task` call with its tool.
    if (scope === calls.rootScope || scope.call.kind === 'subagent' || facts.isCancelled()) return
    if (isRecord(error) && error['name'] === 'ParentCommand') await completeCall(run, scope.call, null)
    if (isBubbleUp(error)) return
    await failCall(run, scope.call, error)
  }

  function noteFailure(graph: Scope, task: string, error: unknown): void {
    const tasks = failures.get(graph) ?? new Map<string, Failures>()
    const before = tasks.get(task)
    // Chains inside the node hand the same error up one by one.
    if (before?.error === error) return
    tasks.set(task, { error, times: (before?.times ?? 0) + 1 })
    failures.set(graph, tasks)
  }

  function leave(id: string): Scope | undefined {
    calls.graphs.delete(id)
    return takeScope(calls, id)
  }

  return { start, end, fail, outputOf: (call: Call): unknown => outputs.get(call) }
}

function isGraph({ classPath }: ChainRun): boolean {
  return classPath[0] === 'langgraph' && classPath[1] === 'pregel'
}
