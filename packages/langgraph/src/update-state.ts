import { type BaseCheckpointSaver, type CheckpointTuple, MemorySaver } from '@langchain/langgraph'
import type { JsonObject } from '@clewline/core'
import type { Graph } from './graph.ts'
import { markCheckpoints, savedBy } from './mark-checkpoints.ts'
import { checkpointSerde } from './serde/checkpoint-serde.ts'
import { openInterrupts } from './open-interrupts.ts'

/**
 * Writes values into a thread's state, through its reducers. LangGraph's `updateState` makes a new checkpoint, and a
 * thread that waits for a human then forgets its question: there the checkpoint itself is changed, so that the
 * question, which is kept beside it, stays.
 */
export async function updateState(
  graph: Graph,
  saver: BaseCheckpointSaver,
  thread_id: string,
  values: JsonObject,
): Promise<void> {
  const open = await openInterrupts(saver, thread_id)
  const saved = open.length === 0 ? undefined : await saver.getTuple(rootOf(thread_id))
  if (saved === undefined) await write(graph, saver, thread_id, values)
  else await change(saver, saved, await reduced(graph, saved, values), thread_id)
}

/** A new checkpoint on top of a run's own keeps its mark: a run that died before the update can still be recovered. */
async function write(
  graph: Graph,
  saver: BaseCheckpointSaver,
  thread_id: string,
  values: JsonObject,
): Promise<void> {
  const run_id = await savedBy(saver, thread_id)
  const marked = run_id === undefined ? saver : markCheckpoints(saver, run_id)
  await graph.updateState({ configurable: { thread_id, __pregel_checkpointer: marked } }, values)
}

/** What the channels hold after the update: LangGraph's own, made on a copy. */
async function reduced(
  graph: Graph,
  { checkpoint, metadata }: CheckpointTuple,
  values: JsonObject,
): Promise<Readonly<Record<string, unknown>>> {
  const copy = new MemorySaver(checkpointSerde)
  const { configurable } = rootOf('copy')
  await copy.put({ configurable }, checkpoint, metadata ?? { source: 'update', step: 0, parents: {} })
  await graph.updateState({ configurable: { ...configurable, __pregel_checkpointer: copy } }, values)
  const made = (await copy.getTuple({ configurable }))?.checkpoint.channel_values ?? {}
  return Object.fromEntries(Object.keys(values).flatMap((name) => (name in made ? [[name, made[name]]] : [])))
}

/** The same checkpoint again with other values: savers replace what has the same id, and keep the writes beside it. */
async function change(
  saver: BaseCheckpointSaver,
  { checkpoint, metadata, parentConfig }: CheckpointTuple,
  values: Readonly<Record<string, unknown>>,
  thread_id: string,
): Promise<void> {
  const versions = Object.fromEntries(
    Object.keys(values).map((name) => {
      const current = checkpoint.channel_versions[name]
      return [name, saver.getNextVersion(typeof current === 'number' ? current : undefined)]
    }),
  )
  const parent: unknown = parentConfig?.configurable?.['checkpoint_id']
  const { configurable } = rootOf(thread_id)
  await saver.put(
    { configurable: { ...configurable, ...(typeof parent === 'string' && { checkpoint_id: parent }) } },
    {
      ...checkpoint,
      channel_values: { ...checkpoint.channel_values, ...values },
      channel_versions: { ...checkpoint.channel_versions, ...versions },
    },
    metadata ?? { source: 'update', step: 0, parents: {} },
    versions,
  )
}

const rootOf = (thread_id: string) => ({ configurable: { thread_id, checkpoint_ns: '' } })
