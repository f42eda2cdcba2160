import { ClewlineError } from '@clewline/core'
import { requireAgent } from './require-agent.ts'
import type { RuntimeContext } from './runtime-context.ts'
import type { CreateRun } from './runs.ts'

/** LangGraph takes a checkpoint that it does not know for an empty thread, and the conversation would be gone. */
export async function checkCheckpoint(
  runtime: RuntimeContext,
  thread_id: string,
  { agent, config }: CreateRun,
): Promise<void> {
  const wanted = config?.checkpoint_id
  if (wanted === undefined) return
  const { checkpointer } = runtime.store
  const known = await requireAgent(runtime, agent).checkpoints?.({ thread_id, checkpointer })
  if (known === undefined || known.some(({ checkpoint_id }) => checkpoint_id === wanted)) return
  throw new ClewlineError('not-found', `No checkpoint "${wanted}" in the thread "${thread_id}".`, {
    hint: 'List them with GET /api/threads/:thread/checkpoints.',
  })
}
