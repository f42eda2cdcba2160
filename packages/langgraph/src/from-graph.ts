import { type BaseCheckpointSaver, MemorySaver } from '@langchain/langgraph'
import type { RunnableConfig } from '@langchain/core/runnables'
import { coerce, SkeinError } from '@skein/core'
import type { RunContext, Source, SourceState, ThreadContext } from '@skein/core/source'
import type { Graph } from './graph.ts'
import { openInterrupts } from './open-interrupts.ts'
import { runGraph } from './run-graph.ts'

export interface FromGraphOptions {
  /** Default: the graph's own name. */
  readonly name?: string
  readonly description?: string
  /** Passed to every run as it is: callbacks, tags, metadata, configurable, context, store … */
  readonly config?: RunnableConfig & Readonly<Record<string, unknown>>
  /** Tools that hand work to another agent: such a call and the graph in it are one call. Default: `['task']`. */
  readonly subagentTools?: readonly string[]
}

/** A compiled LangGraph graph, or an agent of `langchain` or `deepagents`, as a source of envelopes. */
export function fromGraph(graph: Graph, options: FromGraphOptions = {}): Source {
  const name = options.name ?? nameOf(graph)
  // Without a checkpointer LangGraph makes up new task ids in every run, and call ids would not survive a resume.
  const own = new MemorySaver()
  const saverOf = ({ checkpointer }: ThreadContext): BaseCheckpointSaver => {
    const given = checkpointer ?? graph.checkpointer ?? own
    if (isSaver(given)) return given
    throw new SkeinError('bad-config', `The checkpointer of "${name}" is not a BaseCheckpointSaver.`, {
      hint: 'Give the runtime, or compile(), an instance such as new MemorySaver().',
    })
  }
  const at = (context: ThreadContext): object => ({
    configurable: { thread_id: context.thread_id, __pregel_checkpointer: saverOf(context) },
  })

  return {
    name,
    describe: () => ({
      name,
      ...(options.description !== undefined && { description: options.description }),
    }),
    run: (request, context: RunContext) =>
      runGraph({ graph, name, options, saver: saverOf(context) }, request, context),
    async state(context): Promise<SourceState> {
      const state = await graph.getState(at(context))
      const { values, next, config } = state
      const id = config.configurable?.['checkpoint_id']
      const interrupts = await openInterrupts(state, saverOf(context), context.thread_id)
      return {
        values: coerce(values),
        next: [...next],
        interrupts: interrupts.map((one) => ({ id: one.id, value: coerce(one.value) })),
        checkpoint_id: typeof id === 'string' ? id : null,
      }
    },
    async update(values, context) {
      await graph.updateState(at(context), values)
    },
  }
}

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
