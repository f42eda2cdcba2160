import { isRecord, type Json } from '@clewline/core'
import { recordValue } from '../record/record-value.ts'
import { beginCall } from './begin-call.ts'
import { type Call, newCall } from './calls.ts'
import { emitWarning } from './emit-update.ts'
import { cancelCall, endCall, failCall } from './end-call.ts'
import { errorOf, isAbort, isBubbleUp } from './failure.ts'
import type { ChainRun } from './graph-calls.ts'
import type { ObservedRun } from './observed-run.ts'
import { type Scope, taskScope } from './scope.ts'

/** A node that runs: a step of a graph, or a task of the functional API. */
interface RunningNode {
  readonly call: Call
  readonly graph: Call
  readonly isFunctional: boolean
}

/** How often a task has failed, and with what. */
interface Failures {
  readonly error: unknown
  readonly times: number
}

/** The nodes of graphs, as calls. What LangGraph does between them is none. */
export function nodeCalls(run: ObservedRun) {
  const { calls, facts } = run
  /** By LangChain's id of the run. */
  const running = new Map<string, RunningNode>()
  /** The scopes inside a graph's nodes, by namespace: a task that another task started is inside it. */
  const inside = new WeakMap<Call, Map<string, Scope>>()
  const failures = new Map<string, Failures>()

  async function start(chain: ChainRun, graph: Scope): Promise<void> {
    const { langgraph_node: node, langgraph_step: at, langgraph_checkpoint_ns: ns } = chain.metadata
    const name = typeof node === 'string' ? node : chain.name
    const step = typeof at === 'number' ? at : 0
    const namespace = typeof ns === 'string' ? ns : ''
    const id = namespace.slice(namespace.lastIndexOf(':') + 1)
    const place = { node: name, task: id === '' ? name : id, step }
    const steps = graph.call.graph?.nodes
    steps?.set(step, [...(steps.get(step) ?? []), name])
    if (chain.isHidden || name.startsWith('__')) {
      calls.scopes.set(chain.id, taskScope(graph, graph.call, place))
      return
    }
    const tasks = inside.get(graph.call) ?? new Map<string, Scope>()
    inside.set(graph.call, tasks)
    const around = tasks.get(outer(namespace)) ?? graph
    const path = [...around.prefix, place.task]
    const { agent } = graph.call
    const call = newCall({ path, kind: 'node', name, agent, toolCallId: undefined }, around)
    const scope = { ...taskScope(graph, call, place), parent: around }
    calls.scopes.set(chain.id, scope)
    tasks.set(namespace, scope)
    const isFunctional = isOfFunctions(chain.metadata)
    running.set(chain.id, { call, graph: graph.call, isFunctional })
    await warnOfRetry(graph.call, call)
    const input = isFunctional ? { input: recordValue(unwrapped(chain.input, 'input')) } : {}
    const payload = { tool_name: name, kind: 'node', ...input } as const
    await beginCall(run, call, { type: 'tool_start', path, agent, payload })
  }

  async function warnOfRetry(graph: Call, { path, name: node }: Call): Promise<void> {
    const before = failures.get(path.join('\u0000'))
    if (before === undefined) return
    const message = `Node "${node}" failed and runs again: ${errorOf(before.error).message}`
    await emitWarning(run, graph, { code: 'node-retry', message, node, attempt: before.times + 1 })
  }

  async function end(id: string, output: unknown): Promise<void> {
    const node = take(id)
    if (node === undefined) return
    const isWrapped = node.isFunctional || isNoUpdate(output)
    await complete(node.call, recordValue(isWrapped ? unwrapped(output, 'output') : output))
  }

  async function fail(id: string, error: unknown): Promise<void> {
    const node = take(id)
    if (node === undefined || facts.isCancelled()) return
    if (isRecord(error) && error['name'] === 'ParentCommand')
      return complete(node.call, recordValue(error['command']))
    // A node that asked stays open until it is answered.
    if (isBubbleUp(error)) return
    if (isAbort(error)) return cancelCall(run, node.call)
    const key = node.call.path.join('\u0000')
    failures.set(key, { error, times: (failures.get(key)?.times ?? 0) + 1 })
    await failCall(run, node.call, error)
  }

  function complete(call: Call, result: Json): Promise<void> {
    return endCall(run, call, { type: 'tool_end', payload: { tool_name: call.name, result, status: 'ok' } })
  }

  /** Undefined for chains inside a node. */
  function take(id: string): RunningNode | undefined {
    const node = running.get(id)
    running.delete(id)
    return node
  }

  return { start, end, fail }
}

/** The namespace around one: `a:1` of `a:1|b:2`. */
const outer = (namespace: string): string => namespace.slice(0, Math.max(namespace.lastIndexOf('|'), 0))

/** LangGraph starts an entrypoint itself, and marks the path of a task as a call. */
function isOfFunctions({
  langgraph_triggers: triggers,
  langgraph_path: path,
}: ChainRun['metadata']): boolean {
  return (Array.isArray(triggers) && triggers[0] === '__start__') || (Array.isArray(path) && path[3] === true)
}

/** LangChain's callbacks wrap what is not an object. */
function unwrapped(value: unknown, key: 'input' | 'output'): unknown {
  return isRecord(value) && Object.keys(value).join() === key ? value[key] : value
}

/** A node of a graph that returned nothing, or a list of commands, instead of an update. */
function isNoUpdate(output: unknown): boolean {
  const value = unwrapped(output, 'output')
  return value === undefined || (Array.isArray(value) && value.some(isCommand))
}

const isCommand = (value: unknown): boolean => isRecord(value) && value['lg_name'] === 'Command'
