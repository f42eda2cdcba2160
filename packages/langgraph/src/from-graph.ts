import type { RunnableConfig } from '@langchain/core/runnables'
import { type BaseCheckpointSaver, MemorySaver } from '@langchain/langgraph'
import { coerce, ClewlineError } from '@clewline/core'
import type { CompletionShape } from '@clewline/core/message'
import type { Source, SourceCheckpoint, SourceDescription, ThreadContext } from '@clewline/core/source'
import { checkpointId, checkpointOf } from './checkpoint-of.ts'
import { describeGraph } from './describe-graph.ts'
import { forkThread } from './fork-thread.ts'
import type { Graph } from './graph.ts'
import { hasSaved } from './mark-checkpoints.ts'
import { openInterrupts } from './open-interrupts.ts'
import { checkpointSerde } from './serde/checkpoint-serde.ts'
import { runGraph } from './run-graph.ts'
import type { SubagentOptions } from './subagent-tools.ts'
import { updateState } from './update-state.ts'

/** What the graph does not carry itself, and what every run is given. */
export interface FromGraphOptions extends SubagentOptions {
  /** Default: the graph's own name. */
  readonly name?: string
  /** Overrides of the graph's own description: a text, its sub-agents, the schema of its final state … */
  readonly describe?: Partial<SourceDescription>
  /** Where its final state keeps messages, files and usage, when it has other names for them. */
  readonly shape?: CompletionShape
  /** Of the agent's code, as its owner counts: recorded with every run. */
  readonly version?: string
  /** Passed to every run as it is: callbacks, tags, metadata, configurable, context, store … */
  readonly config?: RunnableConfig & Readonly<Record<string, unknown>>
}

/** A compiled LangGraph graph, or an agent of `langchain` or `deepagents`, as a source of envelopes. */
export function fromGraph(graph: Graph, options: FromGraphOptions = {}): Source {
  const name = options.name ?? nameOf(graph)
  // Without a checkpointer LangGraph makes up new task ids in every run, and call ids would not survive a resume.
  const own = new MemorySaver(checkpointSerde)

  function saverOf({ checkpointer }: ThreadContext): BaseCheckpointSaver {
    // A boolean is for a graph inside another; at the root there is nothing to inherit.
    const bound = typeof graph.checkpointer === 'boolean' ? undefined : graph.checkpointer
    const given = checkpointer ?? bound ?? own
    if (isSaver(given)) return given
    throw new ClewlineError('bad-config', `The checkpointer of "${name}" is not a BaseCheckpointSaver.`, {
      hint: 'Give the runtime, or compile(), an instance such as new MemorySaver().',
    })
  }

  function configOf(context: ThreadContext): object {
    return { configurable: { thread_id: context.thread_id, __pregel_checkpointer: saverOf(context) } }
  }

  return {
    name,
    describe: () => ({ ...describeGraph(graph, name), ...options.describe }),
    run: async (request, context) =>
      runGraph({ graph, name, options, saver: saverOf(context) }, request, context),
    hasSaved: async (run, context) => hasSaved(saverOf(context), context.thread_id, run),
    async state(context) {
      const state = await graph.getState(configOf(context))
      const interrupts = await openInterrupts(saverOf(context), context.thread_id)
      return {
        values: coerce(state.values),
        next: [...state.next],
        interrupts: interrupts.map((question) => ({ ...question, value: coerce(question.value) })),
        checkpoint_id: checkpointId(state.config),
      }
    },
    update: async (values, context) => updateState(graph, saverOf(context), context.thread_id, values),
    fork: async (checkpoint_id, to, context) =>
      forkThread(saverOf(context), context.thread_id, checkpoint_id, to),
    async checkpoints(context, { limit, before } = { limit: HISTORY }) {
      const found: SourceCheckpoint[] = []
      const from = before === undefined ? {} : { before: { configurable: { checkpoint_id: before } } }
      for await (const state of graph.getStateHistory(configOf(context), { limit, ...from }))
        found.push(checkpointOf(state))
      return found
    },
  }
}

/** A list for people to choose from; the states themselves stay where they are. */
const HISTORY = 500

function nameOf(graph: Graph): string {
  const named = [graph.name, graph.graph?.name].find(
    (name) => name !== undefined && name !== '' && name !== 'LangGraph',
  )
  return named ?? 'agent'
}

/** By shape: a second copy of the package in node_modules has another class. */
function isSaver(value: unknown): value is BaseCheckpointSaver {
  return typeof value === 'object' && value !== null && 'getTuple' in value && 'putWrites' in value
}
