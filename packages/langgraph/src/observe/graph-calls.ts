import { isRecord } from '@clewline/core'
import { recordValue } from '../record/record-value.ts'
import { beginCall } from './begin-call.ts'
import { type Call, newCall, newGraph, scopeFor, takeScope } from './calls.ts'
import { completeCall, failCall } from './end-call.ts'
import { interruptsOf, isBubbleUp } from './failure.ts'
import { nodeCalls } from './node-calls.ts'
import type { ObservedRun } from './observed-run.ts'
import { graphPath, graphScope, type Scope } from './scope.ts'

export interface ChainRun {
  readonly id: string
  readonly parentId: string | undefined
  readonly name: string
  readonly input: unknown
  /** LangChain's class path, e.g. `langgraph / pregel / CompiledStateGraph`. */
  readonly classPath: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
  /** LangGraph's own plumbing: channels that are written, branches that are chosen. */
  readonly isHidden: boolean
}

/** Graphs, and the nodes in them. */
export function graphCalls(run: ObservedRun) {
  const { calls, facts } = run
  let hasRoot = false
  const outputs = new WeakMap<Call, unknown>()
  const nodes = nodeCalls(run)

  async function start(chain: ChainRun): Promise<void> {
    const around = scopeFor(calls, chain.parentId)
    if (!hasRoot && isGraph(chain)) {
      hasRoot = true
      calls.scopes.set(chain.id, calls.rootScope)
    } else if (isGraph(chain)) await startGraph(chain, around)
    else if (around.isGraph) await nodes.start(chain, around)
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
    const input = recordValue(chain.input)
    const payload = { tool_name: name, kind, input, ...(node !== undefined && { node }) } as const
    await beginCall(run, call, { type: 'tool_start', path, agent, payload })
  }

  function enter({ id, parentId = '' }: ChainRun, call: Call, around: Scope): void {
    const scope = graphScope(call, around)
    calls.scopes.set(id, scope)
    calls.inside.set(call, scope)
    calls.graphs.set(parentId, [...(calls.graphs.get(parentId) ?? []), call])
  }

  async function end(id: string, output: unknown): Promise<void> {
    const scope = leave(id)
    if (scope === undefined) return
    if (!scope.isGraph) return nodes.end(id, output)
    if (scope === calls.rootScope) facts.output = output
    else if (scope.call.kind === 'subagent') outputs.set(scope.call, output)
    else await completeCall(run, scope.call, output)
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const scope = leave(id)
    if (scope === undefined) return
    facts.noteAsker(interruptsOf(error), scope)
    if (!scope.isGraph) return nodes.fail(id, error)
    // The root ends when the run is over, a `task` call with its tool.
    if (scope === calls.rootScope || scope.call.kind === 'subagent' || facts.isCancelled()) return
    if (isRecord(error) && error['name'] === 'ParentCommand') await completeCall(run, scope.call, null)
    if (isBubbleUp(error)) return
    await failCall(run, scope.call, error)
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
