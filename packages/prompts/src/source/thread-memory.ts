import type { BaseCheckpointSaver, Checkpoint } from '@langchain/langgraph-checkpoint'
import { isRecord } from '@clewline/core'
import type { ResumeToken } from '../result/prompt-response.ts'
import { optional } from '../adapter/load-langchain.ts'
import type { Snapshot } from '../session/snapshot.ts'

/** What a thread knows besides the state of its graph. */
export interface ThreadMemory {
  readonly params: unknown
  readonly session: Snapshot
  /** Of an evaluation that waits, or that was cut off. */
  readonly token?: ResumeToken
}

/** Beside the graph's own checkpoints, in the same thread: whatever moves or deletes the thread takes it along. */
const ns = 'clewline-prompts'
const channel = 'memory'

/** Keeps the memory of a thread in the checkpointer of its graph, so that both survive the same things. */
export async function threadMemory(saver: BaseCheckpointSaver, threadId: string) {
  const { emptyCheckpoint, uuid6 } = await optional(() => import('@langchain/langgraph-checkpoint'))
  const place = { configurable: { thread_id: threadId, checkpoint_ns: ns } }
  const tuple = await saver.getTuple(place)
  const found: unknown = tuple?.checkpoint.channel_values[channel]
  let version = tuple?.checkpoint.channel_versions[channel]
  let parent = tuple?.checkpoint.id
  let step = tuple?.metadata?.step ?? 0
  let saved = JSON.stringify(found)
  return {
    memory: isMemory(found) ? found : undefined,
    async save(memory: ThreadMemory): Promise<void> {
      const text = JSON.stringify({ ...memory, session: { ...memory.session, createdAt: '' } })
      if (text === saved) return
      saved = text
      step += 1
      version = saver.getNextVersion(typeof version === 'number' ? version : undefined)
      const checkpoint: Checkpoint = {
        ...emptyCheckpoint(),
        id: uuid6(step),
        channel_values: { [channel]: JSON.parse(text) },
        channel_versions: { [channel]: version },
      }
      const from = {
        configurable: { ...place.configurable, ...(parent !== undefined && { checkpoint_id: parent }) },
      }
      parent = checkpoint.id
      const metadata = { source: 'update' as const, step, parents: {} }
      await saver.put(from, checkpoint, metadata, { [channel]: version })
    },
  }
}

const isMemory = (value: unknown): value is ThreadMemory => isRecord(value) && isRecord(value['session'])
