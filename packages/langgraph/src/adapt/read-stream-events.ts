import { isRecord } from '../is-record.ts'
import { isNode } from './read-callbacks.ts'
import type { Recorded, RecordedReader } from './recorded.ts'

interface Open {
  readonly id: string
  readonly namespace: string
  readonly isSubagent: boolean
  hasGraph: boolean
}

/**
 * `streamEvents` v2 objects. LangGraph.js gives them no parents and no tool-call ids: a node stands in the graph that
 * its namespace names, and a graph inside a node stands in the tool that is open there, if there is one.
 */
export function readStreamEvents(isSubagent: (tool: string) => boolean): RecordedReader {
  const graphs = new Map<string, string>()
  const nodes = new Map<string, string>()
  const tools = new Map<string, Open>()
  const chains: { id: string; namespace: string }[] = []
  let root: string | undefined

  return (event) => {
    if (!isRecord(event) || typeof event['event'] !== 'string' || !event['event'].startsWith('on_'))
      return null
    if (typeof event['run_id'] !== 'string') return null
    return read(event['event'], event['run_id'], event)
  }

  function read(kind: string, id: string, event: Record<string, unknown>): readonly Recorded[] {
    const metadata = isRecord(event['metadata']) ? event['metadata'] : {}
    const data = isRecord(event['data']) ? event['data'] : {}
    const name = typeof event['name'] === 'string' ? event['name'] : 'unnamed'
    const given = Array.isArray(event['parent_ids']) ? event['parent_ids'].at(-1) : undefined
    const parentOf = (found: string | undefined): string | undefined =>
      typeof given === 'string' ? given : found
    const namespace = namespaceOf(metadata)
    switch (kind) {
      case 'on_chain_start':
        return startChain(id, name, isNode(event['tags']), namespace, metadata, data['input'], parentOf)
      case 'on_chain_end':
        return [...endChain(id), { type: 'chain_end', id, output: data['output'] }]
      case 'on_chain_error':
        return [...endChain(id), { type: 'chain_error', id, error: data['error'] }]
      case 'on_chain_stream':
        return streamed(id, data['chunk'])
      case 'on_chat_model_start':
      case 'on_llm_start':
        return [{ type: 'model_start', id, parentId: parentOf(nodes.get(namespace) ?? root), name, metadata }]
      case 'on_chat_model_stream':
      case 'on_llm_stream':
        return [{ type: 'model_token', id, message: messageIn(data['chunk']) }]
      case 'on_chat_model_end':
      case 'on_llm_end':
        return [{ type: 'model_end', id, message: messageIn(data['output']) }]
      case 'on_chat_model_error':
      case 'on_llm_error':
        return [{ type: 'model_error', id, error: data['error'] }]
      case 'on_tool_start': {
        tools.set(id, { id, namespace, isSubagent: isSubagent(name), hasGraph: false })
        const toolCallId = typeof data['tool_call_id'] === 'string' ? data['tool_call_id'] : undefined
        const parentId = parentOf(nodes.get(namespace) ?? root)
        return [{ type: 'tool_start', id, parentId, name, input: data['input'] ?? {}, toolCallId }]
      }
      case 'on_tool_event':
        return [{ type: 'tool_event', id, data: data['chunk'] ?? data['data'] }]
      case 'on_tool_end':
        tools.delete(id)
        return [{ type: 'tool_end', id, output: data['output'] }]
      case 'on_tool_error':
        tools.delete(id)
        return [{ type: 'tool_error', id, error: data['error'] }]
      case 'on_custom_event':
        return [{ type: 'custom', id, data: event['data'] }]
      default:
        return []
    }
  }

  function startChain(
    id: string,
    name: string,
    node: boolean,
    namespace: string,
    metadata: Readonly<Record<string, unknown>>,
    input: unknown,
    parentOf: (found: string | undefined) => string | undefined,
  ): readonly Recorded[] {
    const start = { type: 'chain_start', id, name, metadata, input } as const
    if (root === undefined) {
      root = id
      graphs.set('', id)
      return [{ ...start, is: 'graph', parentId: undefined }, PARENTS_LACK]
    }
    if (node) {
      nodes.set(namespace, id)
      return [{ ...start, is: 'node', parentId: parentOf(graphOf(outer(namespace))) }]
    }
    const around = [...tools.values()].filter((tool) => tool.namespace === namespace)
    const tool = around.find((one) => one.isSubagent && !one.hasGraph) ?? around.at(-1)
    if (tool !== undefined) tool.hasGraph = true
    chains.push({ id, namespace })
    return [{ ...start, is: 'unknown', parentId: parentOf(tool?.id ?? nodes.get(namespace) ?? root) }]
  }

  /** The graph of a namespace. A number at its end counts the graphs that one task has started. */
  function graphOf(namespace: string): string | undefined {
    const known = graphs.get(namespace)
    if (known !== undefined) return known
    const task = namespace.replace(/\|\d+$/, '')
    const taken = new Set(graphs.values())
    const chain = chains.find((one) => one.namespace === task && !taken.has(one.id))
    if (chain === undefined) return root
    graphs.set(namespace, chain.id)
    return chain.id
  }

  function endChain(id: string): readonly Recorded[] {
    const at = chains.findIndex((chain) => chain.id === id)
    if (at >= 0) chains.splice(at, 1)
    for (const [namespace, run] of nodes) if (run === id) nodes.delete(namespace)
    for (const [namespace, run] of graphs) if (run === id) graphs.delete(namespace)
    return []
  }

  /** Interrupts come as a piece of the root's output; the deepest node that has not ended is the one that asked. */
  function streamed(id: string, chunk: unknown): readonly Recorded[] {
    const interrupts = isRecord(chunk) ? chunk['__interrupt__'] : undefined
    if (id !== root || !Array.isArray(interrupts)) return []
    const deepest = [...nodes].sort(([a], [b]) => b.split('|').length - a.split('|').length)[0]
    return [{ type: 'interrupt', id: deepest?.[1], interrupts }]
  }
}

const PARENTS_LACK = {
  type: 'lack',
  code: 'parents-recovered',
  message:
    'The stream names no parents and no tool-call ids: they were recovered from namespaces and arguments.',
} as const

function namespaceOf(metadata: Readonly<Record<string, unknown>>): string {
  const namespace = metadata['langgraph_checkpoint_ns'] ?? metadata['checkpoint_ns']
  return typeof namespace === 'string' ? namespace : ''
}

const outer = (namespace: string): string => namespace.split('|').slice(0, -1).join('|')

/** Old LangChain versions wrap the message in generations. */
function messageIn(output: unknown): unknown {
  if (!isRecord(output) || !Array.isArray(output['generations'])) return output
  const first: unknown = output['generations'].flat()[0]
  return isRecord(first) && 'message' in first ? first['message'] : first
}
