import { ClewlineError } from '@clewline/core'
import { agentOf, type Parts } from './parts.ts'
import type { RunWish } from './runs.ts'

/** LangGraph takes a checkpoint that it does not know for an empty thread, and the conversation would be gone. */
export async function checkCheckpoint(parts: Parts, thread_id: string, wish: RunWish): Promise<void> {
  const wanted = wish.config?.checkpoint_id
  if (wanted === undefined) return
  const { checkpointer } = parts.store
  const known = await agentOf(parts, wish.agent).checkpoints?.({ thread_id, checkpointer })
  if (known === undefined || known.some(({ checkpoint_id }) => checkpoint_id === wanted)) return
  throw new ClewlineError('not-found', `No checkpoint "${wanted}" in the thread "${thread_id}".`, {
    hint: 'List them with GET /api/threads/:thread/checkpoints.',
  })
}
