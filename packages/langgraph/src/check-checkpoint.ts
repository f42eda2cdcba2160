import type { BaseCheckpointSaver } from '@langchain/langgraph'
import { ClewlineError } from '@clewline/core'

/** LangGraph takes a checkpoint that is not there for an empty thread: the run would begin the conversation anew. */
export async function checkCheckpoint(
  saver: BaseCheckpointSaver,
  thread_id: string,
  checkpoint_id: string | undefined,
): Promise<void> {
  if (checkpoint_id === undefined) return
  const saved = await saver.getTuple({ configurable: { thread_id, checkpoint_ns: '', checkpoint_id } })
  if (saved !== undefined) return
  throw new ClewlineError('not-found', `Thread "${thread_id}" has no checkpoint "${checkpoint_id}".`, {
    hint: 'The checkpoints of the thread list the ids that a run can start from.',
  })
}
