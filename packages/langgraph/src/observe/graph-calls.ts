import { coerce, isRecord } from '@clewline/core'
import { beginCall, endCall, newCall, warning } from './begin-call.ts'
import { type Call, graphCall } from './call.ts'
import { completionOf } from './completion-of.ts'
import { errorOf, failure, interruptsOf, isBubbleUp } from './failure.ts'
import { type ObservedRun, scopeFor } from './observed-run.ts'
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

/** Graphs and nodes. Nodes are not calls: they tell what is inside them where it stands. */
export function graphCalls(run: ObservedRun) {
  let hasRoot = false
  const outputs = new WeakMap<Call, unknown>()
  const failures = new WeakMap<Scope, Map<string, { error: unknown; times: number }>>()

  async function start(chain: ChainRun): Promise<void> {
    const around = scopeFor(run, chain.parentId)
    if (!hasRoot && isGraph(chain)) {
      hasRoot = true
      run.scopes.set(chain.id, run.rootScope)
    } else if (isGraph(chain)) await startGraph(chain, around)
    else if (around.isGraph) await startNode(chain, around)
    else run.scopes.set(chain.id, around)
  }

  async function startGraph(chain: ChainRun, around: Scope): Promise<void> {
    // A `task` call and the graph that it runs are one call.
    if (around.call.kind === 'subagent' && around.call.graph === null) {
      around.call.graph = graphCall()
      enter(chain, around.call, around)
      return
    }
    const kind = 'subgraph'
    const { name } = chain
    const call = newCall({ path: graphPath(around), kind, name, agent: name, toolCallId: undefined }, around)
    enter(chain, call, around)
    const node = around.node === undefined ? {} : { node: around.node }
    const payload = { tool_name: name, kind, input: coerce(chain.input), ...node } as const
    await beginCall(run, call, { type: 'tool_start', path: call.path, agent: call.agent, payload })
  }

  function enter({ id, parentId = '' }: ChainRun, call: Call, around: Scope): void {
    const scope = graphScope(call, around)
    run.scopes.set(id, scope)
    run.inside.set(call, scope)
    run.graphs.set(parentId, [...(run.graphs.get(parentId) ?? []), call])
  }

  async function startNode(chain: ChainRun, around: Scope): Promise<void> {
    const { langgraph_node: node, langgraph_step: at, langgraph_checkpoint_ns: namespace } = chain.metadata
    const name = typeof node === 'string' ? node : chain.name
    const step = typeof at === 'number' ? at : 0
    const scope = taskScope(around, name, typeof namespace === 'string' ? namespace : '', step)
    run.scopes.set(chain.id, scope)
    const nodes = around.call.graph?.nodes
    nodes?.set(step, [...(nodes.get(step) ?? []), name])
    const before = failures.get(around)?.get(scope.task)
    if (before === undefined) return
    const attempt = before.times + 1
    const message = `Node "${name}" failed and runs again: ${errorOf(before.error).message}`
    const { path, agent } = around.call
    await run.emit(warning(path, agent, { code: 'node-retry', message, node: name, attempt }))
  }

  async function end(id: string, output: unknown): Promise<void> {
    const scope = take(id)
    if (scope === undefined || !scope.isGraph) return
    if (scope === run.rootScope) run.output = output
    else if (scope.call.kind === 'subagent') outputs.set(scope.call, output)
    else await endGraph(scope.call, output)
  }

  async function endGraph(call: Call, output: unknown): Promise<void> {
    const result = completionOf(output, call.usage)
    await endCall(run, call, { type: 'tool_end', payload: { tool_name: call.name, result, status: 'ok' } })
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const scope = take(id)
    if (scope === undefined) return
    ask(run, scope, error)
    if (!scope.isGraph) {
      if (scope.parent?.isGraph === true && !isBubbleUp(error)) remember(scope, error)
      return
    }
    // The root's end is said once the run is over; a `task` call ends with its tool.
    if (scope === run.rootScope || scope.call.kind === 'subagent' || run.isCancelled()) return
    if (isRecord(error) && error['name'] === 'ParentCommand') await endGraph(scope.call, null)
    if (isBubbleUp(error)) return
    const payload = failure(scope.call.name, error, run.isFirst(error))
    await endCall(run, scope.call, { type: 'error', payload })
  }

  function remember(scope: Scope, error: unknown): void {
    const graph = scope.parent
    if (graph === null) return
    const tasks = failures.get(graph) ?? new Map<string, { error: unknown; times: number }>()
    // Chains inside the node hand the same error up one by one.
    if (tasks.get(scope.task)?.error === error) return
    tasks.set(scope.task, { error, times: (tasks.get(scope.task)?.times ?? 0) + 1 })
    failures.set(graph, tasks)
  }

  function take(id: string): Scope | undefined {
    const scope = run.scopes.get(id)
    run.scopes.delete(id)
    run.graphs.delete(id)
    return scope
  }

  return { start, end, fail, outputOf: (call: Call): unknown => outputs.get(call) }
}

/** Remembers where an interrupt was asked: the first, and so the deepest, place that sees it. */
export function ask(run: ObservedRun, scope: Scope, error: unknown): void {
  for (const interrupt of interruptsOf(error)) if (!run.asked.has(interrupt)) run.asked.set(interrupt, scope)
}

function isGraph({ classPath }: ChainRun): boolean {
  return classPath[0] === 'langgraph' && classPath[1] === 'pregel'
}
