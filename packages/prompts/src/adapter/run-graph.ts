import { ClewlineError, isRecord } from '@clewline/core'
import type { BaseCheckpointSaver } from '@langchain/langgraph'
import type { Interrupt, ResumeToken } from '../result/prompt-response.ts'
import { checkpointOf } from './assert-waiting.ts'
import { runKey, type Evaluation } from './evaluation.ts'
import type { Graph } from './graph-of.ts'
import type { LangChain } from './load-langchain.ts'
import { evaluationKey, usageHandler, withHandler } from './usage-handler.ts'

export interface ClientConfig {
  /** Steps of the graph; default 25. An agent takes two for each turn with tools, three with a completion check (then 40). */
  readonly recursionLimit?: number
  /** Nodes to pause before. Needs a checkpointer. */
  readonly interruptBefore?: readonly string[]
  /** Nodes to pause after. Needs a checkpointer. */
  readonly interruptAfter?: readonly string[]
}

export interface GraphRun {
  readonly graph: Graph
  readonly client: ClientConfig
  readonly checkpointer: BaseCheckpointSaver | undefined
  readonly threadId: string
  readonly streaming: boolean
  readonly host: GraphHost | undefined
}

/** A caller that runs the graph in its own way, to observe it. */
export interface GraphHost {
  /** Goes into the graph instead of what the prompt makes of its input: a pause is answered, or a run taken up. */
  readonly continuation: { readonly input: unknown } | undefined
  readonly checkpointer: BaseCheckpointSaver
  /** Resolves with the state of the graph, and `__interrupt__` when it has paused. */
  run(graph: Graph, input: unknown, config: Readonly<Record<string, unknown>>): Promise<unknown>
}

export type GraphResult =
  | { readonly status: 'completed'; readonly state: Readonly<Record<string, unknown>> }
  | {
      readonly status: 'interrupted'
      readonly interrupts: readonly Interrupt[]
      readonly next: readonly string[]
      readonly checkpointId: string | undefined
    }

export const canPause = (graph: Graph, checkpointer: BaseCheckpointSaver | undefined): boolean =>
  checkpointer !== undefined || (graph.checkpointer !== undefined && graph.checkpointer !== false)

/** LangGraph ignores unknown nodes in silence, and without a checkpointer a breakpoint is the end of the run. */
export function assertBreakpoints(graph: Graph, client: ClientConfig, pausable: boolean): void {
  const names = [...(client.interruptBefore ?? []), ...(client.interruptAfter ?? [])]
  if (names.length === 0) return
  if (!pausable)
    throw new ClewlineError('bad-config', 'A breakpoint needs a checkpointer.', {
      hint: 'Give the adapter one: checkpointer: new MemorySaver().',
    })
  if (graph.nodes === undefined) return
  const known = Object.keys(graph.nodes).filter((name) => !name.startsWith('__'))
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new ClewlineError('bad-config', `The graph has no node ${unknown.join(', ')}.`, {
      hint: `Its nodes: ${known.join(', ')}.`,
    })
}

/** What says to a graph which conversation is meant, and where it is kept. */
export function placeOf({
  graph,
  checkpointer,
  threadId,
}: Pick<GraphRun, 'graph' | 'checkpointer' | 'threadId'>): Record<string, unknown> {
  return {
    ...(canPause(graph, checkpointer) && { thread_id: threadId }),
    // The graph may have been compiled without one.
    ...(checkpointer !== undefined && { __pregel_checkpointer: checkpointer }),
  }
}

export async function runGraph(
  lc: LangChain,
  evaluation: Evaluation,
  run: GraphRun,
  input: unknown,
): Promise<GraphResult> {
  const { graph, client } = run
  const configurable = { [runKey]: evaluation.run, ...placeOf(run) }
  const contexts = lc.contexts.AsyncLocalStorageProviderSingleton
  const around: unknown = contexts.getRunnableConfig()?.callbacks
  const callbacks = evaluation.countsByCallback
    ? withHandler(around, usageHandler(lc, evaluation, run.streaming))
    : around
  const config = {
    configurable,
    ...(callbacks !== undefined && { callbacks }),
    signal: evaluation.signal,
    metadata: { [evaluationKey]: evaluation.id },
    recursionLimit: client.recursionLimit ?? (evaluation.prompt.template.completion === undefined ? 25 : 40),
    ...(client.interruptBefore !== undefined && { interruptBefore: [...client.interruptBefore] }),
    ...(client.interruptAfter !== undefined && { interruptAfter: [...client.interruptAfter] }),
  }
  const invoke = () =>
    run.host === undefined ? graph.invoke(input, config) : run.host.run(graph, input, config)
  const started = () => untilAborted(invoke(), evaluation.signal)
  const state: unknown =
    contexts.getRunnableConfig() === undefined
      ? await started()
      : // A clean context: inside a tool of another graph this would else be taken for its sub-graph.
        await contexts.runWithConfig({}, started, true)
  const values = isRecord(state) ? state : {}
  const paused = values['__interrupt__']
  if (!Array.isArray(paused)) return { status: 'completed', state: values }
  const now: unknown = await graph.getState?.({ configurable })
  const next: unknown = isRecord(now) ? now['next'] : []
  return {
    status: 'interrupted',
    interrupts: paused.map((each: { id?: string; value?: unknown }) => ({
      id: each.id ?? '',
      value: each.value,
    })),
    next: Array.isArray(next) ? next.map(String) : [],
    checkpointId: isRecord(now) ? checkpointOf(now) : undefined,
  }
}

/** Does not wait for a graph that is slow to notice: its writes are fenced off already. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

/** What goes into the graph to answer a pause: one answer, or one for each question by its id. */
export function resumeInput(lc: LangChain, token: ResumeToken, decision: unknown): unknown {
  const [first, ...more] = token.interrupts
  if (first === undefined) return null
  // By id where there is one: a bare `resume` that is false, null or empty is taken for none (langgraph 1.4.18).
  if (more.length === 0)
    return new lc.graphs.Command({ resume: first === '' ? decision : { [first]: decision } })
  const answers = isRecord(decision) ? decision : {}
  const open = token.interrupts.filter((id) => !Object.hasOwn(answers, id))
  if (open.length > 0)
    throw new ClewlineError(
      'bad-request',
      `There are ${token.interrupts.length} questions; ${open.length} have no answer.`,
      { hint: `Pass one answer for each: { ${token.interrupts.map((id) => `"${id}": ...`).join(', ')} }.` },
    )
  return new lc.graphs.Command({ resume: answers })
}
