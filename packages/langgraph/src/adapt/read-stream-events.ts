import { isRecord } from '@clewline/core'
import type { IsSubagent } from '../subagent-tools.ts'
import { hasStep } from './read-callbacks.ts'
import type { Recorded, RecordedOf, RecordedReader } from './recorded.ts'

interface OpenTool {
  readonly id: string
  readonly namespace: string
  readonly isSubagent: boolean
  hasGraph: boolean
}

/**
 * `streamEvents` v2 objects, or callbacks by the same names with their fields beside them. LangGraph.js (not Python)
 * gives them no parents, and neither gives tool-call ids: a node stands in the graph that its namespace names, and a
 * graph inside a node stands in the tool that is open there, if there is one.
 */
export function readStreamEvents(isSubagent: IsSubagent): RecordedReader {
  const graphs = new Map<string, string>()
  const nodes = new Map<string, string>()
  const tools = new Map<string, OpenTool>()
  const chains: { id: string; namespace: string }[] = []
  let root: string | undefined

  return (event) => {
    if (!isRecord(event)) return null
    const kind = event['event'] ?? event['type']
    const id = event['run_id'] ?? event['id']
    if (typeof kind !== 'string' || !kind.startsWith('on_') || typeof id !== 'string') return null
    return read(kind, id, event)
  }

  function read(kind: string, id: string, event: Record<string, unknown>): readonly Recorded[] {
    const metadata = isRecord(event['metadata']) ? event['metadata'] : {}
    const data = isRecord(event['data']) ? event['data'] : event
    const name = typeof event['name'] === 'string' ? event['name'] : 'unnamed'
    const given = Array.isArray(event['parent_ids']) ? event['parent_ids'].at(-1) : undefined
    const parentOf = (found: string | undefined): string | undefined =>
      typeof given === 'string' ? given : found
    const namespace = namespaceOf(metadata)
    switch (kind) {
      case 'on_chain_start': {
        const warning = root !== undefined ? [] : ['parent_ids' in event ? IDS_RECOVERED : PARENTS_RECOVERED]
        const start = { type: 'chain_start', id, name, metadata, input: inputIn(data) } as const
        return [...startChain(start, hasStep(event['tags']), namespace, parentOf), ...warning]
      }
      case 'on_chain_end':
        return [...endChain(id), { type: 'chain_end', id, output: outputIn(data) }]
      case 'on_chain_error':
        return [...endChain(id), { type: 'chain_error', id, error: data['error'] }]
      case 'on_chain_stream':
        return streamed(id, data['chunk'])
      case 'on_chat_model_start':
      case 'on_llm_start': {
        const parentId = parentOf(nodes.get(namespace) ?? root)
        return [{ type: 'model_start', id, parentId, name, metadata, messages: promptIn(inputIn(data)) }]
      }
      case 'on_chat_model_stream':
      case 'on_llm_stream':
      case 'on_chat_model_token':
      case 'on_llm_new_token':
        return [{ type: 'model_token', id, message: pieceIn(data) }]
      case 'on_chat_model_end':
      case 'on_llm_end':
        return [{ type: 'model_end', id, message: messageIn(outputIn(data)) }]
      case 'on_chat_model_error':
      case 'on_llm_error':
        return [{ type: 'model_error', id, error: data['error'] }]
      case 'on_tool_start': {
        tools.set(id, { id, namespace, isSubagent: isSubagent(name), hasGraph: false })
        const toolCallId = typeof data['tool_call_id'] === 'string' ? data['tool_call_id'] : undefined
        const parentId = parentOf(nodes.get(namespace) ?? root)
        return [{ type: 'tool_start', id, parentId, name, input: inputIn(data) ?? {}, toolCallId }]
      }
      case 'on_tool_event':
        return [{ type: 'tool_event', id, data: data['chunk'] ?? data['data'] }]
      case 'on_tool_end':
        tools.delete(id)
        return [{ type: 'tool_end', id, output: outputIn(data) }]
      case 'on_tool_error':
        tools.delete(id)
        return [{ type: 'tool_error', id, error: data['error'] }]
      case 'on_custom_event':
        return [{ type: 'custom', id, data: event['data'] ?? null }]
      default:
        return []
    }
  }

  function startChain(
    start: Omit<RecordedOf<'chain_start'>, 'is' | 'parentId'>,
    isNode: boolean,
    namespace: string,
    parentOf: (found: string | undefined) => string | undefined,
  ): readonly Recorded[] {
    const { id } = start
    if (root === undefined) {
      root = id
      graphs.set('', id)
      return [{ ...start, is: 'graph', parentId: undefined }]
    }
    if (isNode) {
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

const PARENTS_RECOVERED = {
  type: 'warning',
  code: 'parents-recovered',
  message:
    'The stream names no parents and no tool-call ids: they were recovered from namespaces and arguments. Of what a model was asked it has the messages only.',
} as const

function namespaceOf(metadata: Readonly<Record<string, unknown>>): string {
  const namespace = metadata['langgraph_checkpoint_ns'] ?? metadata['checkpoint_ns']
  return typeof namespace === 'string' ? namespace : ''
}

const outer = (namespace: string): string => namespace.split('|').slice(0, -1).join('|')

const IDS_RECOVERED = {
  type: 'warning',
  code: 'tool-call-ids-recovered',
  message:
    'The stream names no tool-call ids: they were recovered from arguments. Of what a model was asked it has the messages only.',
} as const

/** Callbacks that were written down as they are have the plural, and no `data` around it. */
const inputIn = (data: Record<string, unknown>): unknown => data['input'] ?? data['inputs']
const outputIn = (data: Record<string, unknown>): unknown => data['output'] ?? data['outputs']

/** `{messages: [[…]]}`, one list per prompt. */
function promptIn(input: unknown): readonly unknown[] | undefined {
  const prompts = isRecord(input) ? (input['messages'] ?? input['prompts']) : undefined
  if (!Array.isArray(prompts)) return undefined
  const [first]: unknown[] = prompts
  return Array.isArray(first) ? first : prompts
}

function pieceIn(data: Record<string, unknown>): unknown {
  const piece = messageIn(data['chunk'] ?? data['token'])
  return typeof piece === 'string' ? { content: piece } : piece
}

/** Old LangChain versions wrap the message in generations. */
function messageIn(output: unknown): unknown {
  if (!isRecord(output) || !Array.isArray(output['generations'])) return output
  const first: unknown = output['generations'].flat()[0]
  return isRecord(first) && 'message' in first ? first['message'] : first
}
