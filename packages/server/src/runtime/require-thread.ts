import { ClewlineError } from '@clewline/core'
import type { Thread } from '../store/store.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** The thread, if it exists and `owner` may see it; otherwise throws `not-found`, so that a stranger learns nothing. */
export async function requireThread(
  { store }: RuntimeContext,
  thread_id: string,
  owner?: string,
): Promise<Thread> {
  const thread = await store.threads.get(thread_id)
  if (thread !== null && (owner === undefined || thread.owner === owner)) return thread
  throw new ClewlineError('not-found', `No thread "${thread_id}".`, {
    hint: 'Create it with POST /api/threads, or list threads with GET /api/threads.',
  })
}
