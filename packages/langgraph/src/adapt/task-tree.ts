import type { Recorded } from './recorded.ts'

/** A run of a node. Its key is its namespace: `a:1|b:2` is node b, task 2, of the graph in node a, task 1. */
export interface Task {
  readonly id: string
  readonly graph: string
  readonly name: string
  /** Its model call that has begun and not ended. */
  model: { id: string } | null
  /** Tool runs that are open in it, and whether they have started a graph. */
  readonly tools: Map<string, { id: string; isSubagent: boolean; hasGraph: boolean }>
}

/** The graphs and tasks of one run, which chunks only name: each is entered lazily, when a chunk first names it. */
export interface TaskTree {
  /** The run id of the graph with this namespace. */
  enterGraph(namespace: readonly string[], out: Recorded[]): string
  enterTask(namespace: readonly string[], out: Recorded[]): Task
  leaveTask(key: string, out: Recorded[], output?: unknown): void
  /** Ends the graphs that a task has run. */
  leaveGraphs(key: string, out: Recorded[]): void
  /** The task's model call, begun if it is another than the one before. */
  enterModel(task: Task, id: string, metadata: Readonly<Record<string, unknown>>, out: Recorded[]): void
  endModel(task: Task, out: Recorded[]): void
  /** The newest state of a graph: what it ends with. */
  keep(namespace: readonly string[], values: unknown): void
  /** True once a task has run in the graph. */
  hasRun(graph: string): boolean
  /** An open task of this node that runs no tool. */
  idleTask(graph: string, node: string): string | undefined
}

const graphId = (graph: string): string => `graph ${graph}`

/** The run id of the graph around all others. */
export const ROOT = graphId('')

export function createTaskTree(): TaskTree {
  const tasks = new Map<string, Task>()
  const graphs = new Set<string>()
  const values = new Map<string, unknown>()
  /** Keys of the tasks that have not ended: a long run has few of them at a time. */
  const open = new Set<string>()
  /** Graphs in which a task has run. */
  const busy = new Set<string>()

  function enterGraph(namespace: readonly string[], out: Recorded[]): string {
    const graph = namespace.join('|')
    const id = graphId(graph)
    if (namespace.length === 0 || graphs.has(graph)) return id
    graphs.add(graph)
    // A number at the end counts the graphs that one task has started.
    const at = /^\d+$/.test(namespace.at(-1) ?? '') ? namespace.slice(0, -1) : namespace
    const task = enterTask(at, out)
    endModel(task, out)
    const tools = [...task.tools.values()]
    const tool = tools.find((one) => one.isSubagent && !one.hasGraph) ?? tools.at(-1)
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
      model: null,
      tools: new Map(),
    }
    tasks.set(key, task)
    open.add(key)
    busy.add(task.graph)
    const metadata = { langgraph_node: name, langgraph_checkpoint_ns: key }
    out.push({ type: 'chain_start', id: task.id, parentId, name, is: 'node', metadata, input: null })
    return task
  }

  function leaveTask(key: string, out: Recorded[], output: unknown = null): void {
    const task = tasks.get(key)
    if (task === undefined || !open.has(key)) return
    endModel(task, out)
    leaveGraphs(key, out)
    open.delete(key)
    out.push({ type: 'chain_end', id: task.id, output })
  }

  function leaveGraphs(key: string, out: Recorded[]): void {
    for (const graph of [...graphs].filter((one) => one === key || one.replace(/\|\d+$/, '') === key)) {
      for (const inner of open) if (tasks.get(inner)?.graph === graph) leaveTask(inner, out)
      graphs.delete(graph)
      out.push({ type: 'chain_end', id: graphId(graph), output: values.get(graph) ?? null })
    }
  }

  function endModel(task: Task, out: Recorded[]): void {
    if (task.model === null) return
    out.push({ type: 'model_end', id: task.model.id, message: null })
    task.model = null
  }

  return {
    enterGraph,
    enterTask,
    leaveTask,
    leaveGraphs,
    enterModel(task, id, metadata, out) {
      if (task.model?.id === id) return
      endModel(task, out)
      task.model = { id }
      out.push({ type: 'model_start', id, parentId: task.id, name: 'model', metadata, messages: undefined })
    },
    endModel,
    keep: (namespace, state) => void values.set(namespace.join('|'), state),
    hasRun: (graph) => busy.has(graph),
    idleTask(graph, node) {
      for (const key of open) {
        const task = tasks.get(key)
        if (task?.graph === graph && task.name === node && task.tools.size === 0) return key
      }
      return undefined
    },
  }
}
