import { isRecord } from '../is-record.ts'
import { fieldsOf } from '../observe/model-end.ts'
import { type GatheredMessage, gatherMessage } from './gather-message.ts'
import type { Recorded, RecordedReader } from './recorded.ts'
import { type StreamChunk, streamChunk } from './stream-chunk.ts'

interface Task {
  readonly id: string
  readonly graph: string
  readonly name: string
  isOpen: boolean
  /** Its model call that has begun and not ended. */
  model: { id: string; message: GatheredMessage } | null
  /** Tool runs that are open in it, and how many graphs it has started. */
  readonly tools: Map<string, { id: string; isSubagent: boolean; hasGraph: boolean }>
}

/**
 * Chunks of `graph.stream()`: `[namespace, mode, chunk]`, also as `{ns, mode, data | chunk}`. There are no runs in them:
 * a namespace `a:1|b:2` is node b, task 2, of the graph in node a, task 1, and model calls are pieces with one id.
 */
export function readStreamChunks(isSubagent: (tool: string) => boolean): RecordedReader {
  let tasks = new Map<string, Task>()
  let graphs = new Set<string>()
  let values = new Map<string, unknown>()
  let seen = new Set<string>()
  const starts = new Map<string, boolean>()
  let phase: unknown
  let hasBegun = false

  return (event) => {
    const chunk = streamChunk(event)
    if (chunk === null) return null
    const out: Recorded[] = []
    if (!hasBegun) begin(out)
    if (isAgain(chunk)) again(out)
    phase = chunk.phase
    take(chunk, out)
    return out
  }

  function begin(out: Recorded[]): void {
    hasBegun = true
    const start = { id: graphId(''), parentId: undefined, name: '', metadata: {}, input: null } as const
    out.push({ type: 'chain_start', is: 'graph', ...start }, MODELS_LACK)
  }

  /** A task or a tool that has begun begins again: the thread has been resumed. */
  function isAgain({ namespace, mode, data, phase: now }: StreamChunk): boolean {
    if (phase !== undefined && now !== phase) return true
    if (!isRecord(data)) return false
    const { name, id, toolCallId } = data
    if (mode === 'tasks' && !('result' in data) && typeof name === 'string' && typeof id === 'string')
      return seen.has(`task ${[...namespace, `${name}:${id}`].join('|')}`)
    if (mode === 'tools' && data['event'] === 'on_tool_start' && typeof toolCallId === 'string')
      return seen.has(`tool ${namespace.join('|')} ${toolCallId}`)
    return false
  }

  function again(out: Recorded[]): void {
    tasks = new Map()
    graphs = new Set()
    values = new Map()
    seen = new Set()
    out.push({ type: 'resume' })
    begin(out)
  }

  function take({ namespace, mode, data }: StreamChunk, out: Recorded[]): void {
    switch (mode) {
      case 'tasks':
        return takeTask(namespace, data, out)
      case 'messages':
        return takeMessage(namespace, data, out)
      case 'tools':
        return takeTool(namespace, data, out)
      case 'updates':
        return takeUpdates(namespace, data, out)
      case 'values':
      case 'checkpoints':
        return takeState(namespace, mode, data, out)
      case 'debug':
        if (isRecord(data) && isRecord(data['payload']))
          take(
            {
              namespace,
              mode: data['type'] === 'checkpoint' ? 'checkpoints' : 'tasks',
              data: data['payload'],
              phase,
            },
            out,
          )
        return
      case 'custom':
        out.push({ type: 'custom', id: enterGraph(namespace, out), data })
        return
    }
  }

  function takeTask(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    if (!isRecord(data) || typeof data['name'] !== 'string' || typeof data['id'] !== 'string') return
    const at = [...namespace, `${data['name']}:${data['id']}`]
    if ('result' in data || 'error' in data) {
      const isPaused = Array.isArray(data['interrupts']) && data['interrupts'].length > 0
      if (isPaused) raise(namespace, at, data['interrupts'], out)
      else leaveTask(at.join('|'), out)
    } else {
      enterTask(at, out)
      seen.add(`task ${at.join('|')}`)
    }
  }

  function takeMessage(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    const [message, metadata]: unknown[] = Array.isArray(data) ? data : [data]
    const fields = fieldsOf(message)
    if (!isAssistant(message) || namespace.length === 0) return
    const task = enterTask(namespace, out)
    const key = typeof fields['id'] === 'string' ? fields['id'] : `message in ${task.id}`
    if (seen.has(`message ${key}`) && task.model?.id !== key) return
    if (task.model?.id !== key) {
      endModel(task, out)
      seen.add(`message ${key}`)
      task.model = { id: key, message: gatherMessage(key) }
      const known = isRecord(metadata) ? metadata : {}
      out.push({ type: 'model_start', id: key, parentId: task.id, name: 'model', metadata: known })
    }
    task.model.message.add(message)
    out.push({ type: 'model_token', id: key, message })
  }

  function takeTool(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    if (!isRecord(data) || namespace.length === 0) return
    const task = enterTask(namespace, out)
    const call = typeof data['toolCallId'] === 'string' ? data['toolCallId'] : String(data['name'])
    const id = `tool ${namespace.join('|')} ${call}`
    const name = typeof data['name'] === 'string' ? data['name'] : 'tool'
    switch (data['event']) {
      case 'on_tool_start':
        endModel(task, out)
        seen.add(id)
        task.tools.set(id, { id, isSubagent: isSubagent(name), hasGraph: false })
        out.push({
          type: 'tool_start',
          id,
          parentId: task.id,
          name,
          input: data['input'] ?? {},
          toolCallId: call,
        })
        return
      case 'on_tool_event':
        out.push({ type: 'tool_event', id, data: data['data'] })
        return
      case 'on_tool_end':
        leaveGraphs(namespace.join('|'), out)
        task.tools.delete(id)
        out.push({ type: 'tool_end', id, output: data['output'] })
        return
      case 'on_tool_error':
        task.tools.delete(id)
        out.push({ type: 'tool_error', id, error: data['error'] })
        return
    }
  }

  function takeUpdates(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    if (!isRecord(data)) return
    const { __interrupt__: interrupts, __metadata__: metadata, ...nodes } = data
    if (Array.isArray(interrupts)) return raise(namespace, null, interrupts, out)
    if (isRecord(metadata) && metadata['cached'] === true) {
      out.push({ type: 'cached', id: enterGraph(namespace, out), data: nodes })
      return
    }
    // Without the `tasks` mode this is the only sign that a node has ended.
    const graph = namespace.join('|')
    for (const name of Object.keys(nodes)) {
      const done = [...tasks].find(
        ([, task]) => task.isOpen && task.graph === graph && task.name === name && task.tools.size === 0,
      )
      if (done !== undefined) leaveTask(done[0], out)
    }
  }

  function takeState(namespace: readonly string[], mode: string, data: unknown, out: Recorded[]): void {
    if (!isRecord(data)) return
    if (Array.isArray(data['__interrupt__'])) return raise(namespace, null, data['__interrupt__'], out)
    const graph = namespace.join('|')
    const id = enterGraph(namespace, out)
    values.set(graph, mode === 'values' ? data : data['values'])
    const config =
      isRecord(data['config']) && isRecord(data['config']['configurable'])
        ? data['config']['configurable']
        : {}
    const saved = mode === 'values' ? undefined : (config['checkpoint_id'] ?? data['id'])
    const metadata = isRecord(data['metadata']) ? data['metadata'] : data
    const step = typeof metadata['step'] === 'number' ? metadata['step'] : 0
    // Values come without a step: a graph is at its start until its first task.
    const isBusy = [...tasks.values()].some((task) => task.graph === graph)
    if (mode === 'checkpoints') starts.set(graph, metadata['source'] === 'input' || step <= 0)
    out.push({
      type: 'state',
      id,
      checkpointId: typeof saved === 'string' ? saved : undefined,
      node: '',
      values: mode === 'values' ? data : data['values'],
      step,
      isStart: starts.has(graph) ? starts.get(graph) === true && !isBusy : undefined,
    })
  }

  function raise(
    namespace: readonly string[],
    at: readonly string[] | null,
    interrupts: unknown,
    out: Recorded[],
  ): void {
    if (!Array.isArray(interrupts)) return
    const id = at === null ? enterGraph(namespace, out) : enterTask(at, out).id
    out.push({ type: 'interrupt', id, interrupts })
  }

  function enterGraph(namespace: readonly string[], out: Recorded[]): string {
    const graph = namespace.join('|')
    const id = graphId(graph)
    if (namespace.length === 0 || graphs.has(graph)) return id
    graphs.add(graph)
    // A number at the end counts the graphs that one task has started.
    const at = /^\d+$/.test(namespace.at(-1) ?? '') ? namespace.slice(0, -1) : namespace
    const task = enterTask(at, out)
    endModel(task, out)
    const open = [...task.tools.values()]
    const tool = open.find((one) => one.isSubagent && !one.hasGraph) ?? open.at(-1)
    if (tool !== undefined) tool.hasGraph = true
    out.push({
      type: 'chain_start',
      id,
      parentId: tool?.id ?? task.id,
      name: task.name,
      is: 'graph',
      metadata: {},
      input: null,
    })
    return id
  }

  function enterTask(namespace: readonly string[], out: Recorded[]): Task {
    const key = namespace.join('|')
    const known = tasks.get(key)
    if (known !== undefined) return known
    const around = namespace.slice(0, -1)
    const parentId = enterGraph(around, out)
    const name = (namespace.at(-1) ?? '').split(':')[0] ?? ''
    const task: Task = {
      id: `task ${key}`,
      graph: around.join('|'),
      name,
      isOpen: true,
      model: null,
      tools: new Map(),
    }
    tasks.set(key, task)
    const metadata = { langgraph_node: name, langgraph_checkpoint_ns: key }
    out.push({ type: 'chain_start', id: task.id, parentId, name, is: 'node', metadata, input: null })
    return task
  }

  function leaveTask(key: string, out: Recorded[]): void {
    const task = tasks.get(key)
    if (task === undefined || !task.isOpen) return
    endModel(task, out)
    leaveGraphs(key, out)
    task.isOpen = false
    out.push({ type: 'chain_end', id: task.id, output: null })
  }

  /** Ends the graphs that a task has run. */
  function leaveGraphs(key: string, out: Recorded[]): void {
    for (const graph of [...graphs].filter((one) => one === key || one.replace(/\|\d+$/, '') === key)) {
      for (const [inner, task] of tasks) if (task.graph === graph) leaveTask(inner, out)
      graphs.delete(graph)
      out.push({ type: 'chain_end', id: graphId(graph), output: values.get(graph) ?? null })
    }
  }

  function endModel(task: Task, out: Recorded[]): void {
    if (task.model === null) return
    out.push({ type: 'model_end', id: task.model.id, message: task.model.message.whole() })
    task.model = null
  }
}

const graphId = (graph: string): string => `graph ${graph}`

const MODELS_LACK = {
  type: 'lack',
  code: 'model-calls-recovered',
  message:
    'The stream has no starts and ends of model calls: they were recovered from the pieces of messages.',
} as const

function isAssistant(message: unknown): boolean {
  if (!isRecord(message)) return false
  const kind = Array.isArray(message['id']) ? message['id'].at(-1) : (message['type'] ?? message['role'])
  return kind === 'AIMessageChunk' || kind === 'AIMessage' || kind === 'ai' || kind === 'assistant'
}
