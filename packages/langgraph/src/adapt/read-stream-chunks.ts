import { isRecord } from '@clewline/core'
import { fieldsOf } from '../observe/model-end.ts'
import type { IsSubagent } from '../subagent-tools.ts'
import { raisedIn } from './play-interrupt.ts'
import type { Recorded, RecordedReader } from './recorded.ts'
import { type StreamChunk, streamChunk } from './stream-chunk.ts'
import { createTaskTree, ROOT } from './task-tree.ts'

/**
 * Chunks of `graph.stream()`: `[namespace, mode, chunk]`, also as `{ns, mode, data | chunk}`. There are no runs in them:
 * a namespace `a:1|b:2` is node b, task 2, of the graph in node a, task 1, and model calls are pieces with one id.
 */
export function readStreamChunks(isSubagent: IsSubagent): RecordedReader {
  let tree = createTaskTree()
  let seen = new Set<string>()
  const starts = new Map<string, boolean>()
  let phase: unknown
  let hasBegun = false
  let hasTasks = false

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
    const start = { id: ROOT, parentId: undefined, name: '', metadata: {}, input: null } as const
    out.push({ type: 'chain_start', is: 'graph', ...start }, MODELS_RECOVERED)
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
    tree = createTaskTree()
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
        out.push({ type: 'custom', id: tree.enterGraph(namespace, out), data })
        return
    }
  }

  function takeTask(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    if (!isRecord(data) || typeof data['name'] !== 'string' || typeof data['id'] !== 'string') return
    hasTasks = true
    const at = [...namespace, `${data['name']}:${data['id']}`]
    if ('result' in data || 'error' in data) {
      const isPaused = Array.isArray(data['interrupts']) && data['interrupts'].length > 0
      if (isPaused) raise(namespace, at, data['interrupts'], out)
      else tree.leaveTask(at.join('|'), out, updateOf(data['result']))
    } else {
      tree.enterTask(at, out)
      seen.add(`task ${at.join('|')}`)
    }
  }

  function takeMessage(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    const [message, metadata]: unknown[] = Array.isArray(data) ? data : [data]
    const fields = fieldsOf(message)
    if (!isAssistant(message) || namespace.length === 0) return
    const task = tree.enterTask(namespace, out)
    const key = typeof fields['id'] === 'string' ? fields['id'] : `message in ${task.id}`
    if (seen.has(`message ${key}`) && task.model?.id !== key) return
    seen.add(`message ${key}`)
    tree.enterModel(task, key, isRecord(metadata) ? metadata : {}, out)
    out.push({ type: 'model_token', id: key, message })
  }

  function takeTool(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    if (!isRecord(data) || namespace.length === 0) return
    const task = tree.enterTask(namespace, out)
    const call = typeof data['toolCallId'] === 'string' ? data['toolCallId'] : String(data['name'])
    const id = `tool ${namespace.join('|')} ${call}`
    const name = typeof data['name'] === 'string' ? data['name'] : 'tool'
    switch (data['event']) {
      case 'on_tool_start':
        tree.endModel(task, out)
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
        tree.leaveGraphs(namespace.join('|'), out)
        task.tools.delete(id)
        out.push({ type: 'tool_end', id, output: data['output'] })
        return
      case 'on_tool_error':
        // A tool that asked is still in its task, which is not idle.
        if (raisedIn(data['error']).length === 0) task.tools.delete(id)
        out.push({ type: 'tool_error', id, error: data['error'] })
        return
    }
  }

  function takeUpdates(namespace: readonly string[], data: unknown, out: Recorded[]): void {
    if (!isRecord(data)) return
    const { __interrupt__: interrupts, __metadata__: metadata, ...nodes } = data
    if (Array.isArray(interrupts)) return raise(namespace, null, interrupts, out)
    if (isRecord(metadata) && metadata['cached'] === true) {
      out.push({ type: 'cached', id: tree.enterGraph(namespace, out), data: nodes })
      return
    }
    // Without the `tasks` mode this is the only sign that a node has ended; which of its tasks, it does not say.
    if (hasTasks) return
    const graph = namespace.join('|')
    for (const name of Object.keys(nodes)) {
      const done = tree.idleTask(graph, name)
      if (done !== undefined) tree.leaveTask(done, out, nodes[name])
    }
  }

  function takeState(namespace: readonly string[], mode: string, data: unknown, out: Recorded[]): void {
    if (!isRecord(data)) return
    if (Array.isArray(data['__interrupt__'])) return raise(namespace, null, data['__interrupt__'], out)
    const graph = namespace.join('|')
    const id = tree.enterGraph(namespace, out)
    const values = mode === 'values' ? data : data['values']
    tree.keep(namespace, values)
    const config =
      isRecord(data['config']) && isRecord(data['config']['configurable'])
        ? data['config']['configurable']
        : {}
    const saved = mode === 'values' ? undefined : (config['checkpoint_id'] ?? data['id'])
    const metadata = isRecord(data['metadata']) ? data['metadata'] : data
    const step = typeof metadata['step'] === 'number' ? metadata['step'] : 0
    // Values come without a step: a graph is at its start until its first task.
    const isBusy = tree.hasRun(graph)
    if (mode === 'checkpoints') starts.set(graph, metadata['source'] === 'input' || step <= 0)
    out.push({
      type: 'state',
      id,
      checkpointId: typeof saved === 'string' ? saved : undefined,
      node: '',
      values,
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
    const id = at === null ? tree.enterGraph(namespace, out) : tree.enterTask(at, out).id
    out.push({ type: 'interrupt', id, interrupts })
  }
}

const MODELS_RECOVERED = {
  type: 'warning',
  code: 'model-calls-recovered',
  message:
    'The stream has no starts and ends of model calls: they were recovered from the pieces of messages. What a model was asked is not in it.',
} as const

/** A task's result is a list of the channels that it wrote, `[name, value]` each. */
function updateOf(result: unknown): unknown {
  if (!Array.isArray(result)) return result ?? null
  const writes = result.filter((write) => Array.isArray(write) && write.length === 2)
  return writes.length === result.length ? Object.fromEntries(writes) : result
}

function isAssistant(message: unknown): boolean {
  if (!isRecord(message)) return false
  const kind = Array.isArray(message['id']) ? message['id'].at(-1) : (message['type'] ?? message['role'])
  return kind === 'AIMessageChunk' || kind === 'AIMessage' || kind === 'ai' || kind === 'assistant'
}
