import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph'
import { ClewlineError } from '@clewline/core'

/**
 * Copies a thread up to a checkpoint into another one, through the checkpointer's own interface. Ids of checkpoints
 * stay: they grow with time, and tasks get their ids from them.
 */
export async function forkThread(
  saver: BaseCheckpointSaver,
  from: string,
  checkpointId: string,
  to: string,
): Promise<void> {
  const saved: CheckpointTuple[] = []
  for await (const tuple of saver.list({ configurable: { thread_id: from } })) saved.push(tuple)
  saved.sort((a, b) => (a.checkpoint.id < b.checkpoint.id ? -1 : 1))
  const roots = saved.filter((tuple) => namespaceOf(tuple) === '')
  if (!roots.some((tuple) => tuple.checkpoint.id === checkpointId))
    throw new ClewlineError('not-found', `Thread "${from}" has no checkpoint "${checkpointId}".`, {
      hint: 'The checkpoints of the thread list the ids that it can be forked from.',
    })
  // What sub-graphs saved after the newest state of the thread belongs to work that waits there, on a human for example.
  const isHead = roots.at(-1)?.checkpoint.id === checkpointId
  for (const tuple of saved) {
    const isBefore = tuple.checkpoint.id <= checkpointId
    if (isBefore || (isHead && namespaceOf(tuple) !== '')) await copy(saver, tuple, to)
  }
}

async function copy(saver: BaseCheckpointSaver, tuple: CheckpointTuple, thread_id: string): Promise<void> {
  const { checkpoint, metadata, parentConfig, pendingWrites = [] } = tuple
  const checkpoint_ns = namespaceOf(tuple)
  const parent: unknown = parentConfig?.configurable?.['checkpoint_id']
  const at = { thread_id, checkpoint_ns, ...(typeof parent === 'string' && { checkpoint_id: parent }) }
  const config = await saver.put(
    { configurable: at },
    checkpoint,
    metadata ?? { source: 'fork', step: 0, parents: {} },
    checkpoint.channel_versions,
  )
  const byTask = new Map<string, [string, unknown][]>()
  for (const [task, channel, value] of pendingWrites)
    byTask.set(task, [...(byTask.get(task) ?? []), [channel, value]])
  for (const [task, writes] of byTask) await saver.putWrites(config, writes, task)
}

function namespaceOf(tuple: CheckpointTuple): string {
  const namespace: unknown = tuple.config.configurable?.['checkpoint_ns']
  return typeof namespace === 'string' ? namespace : ''
}
