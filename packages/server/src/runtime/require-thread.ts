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
  throw noThread(thread_id)
}

/** Also for an id that another owner has, whatever is to be done with it: the answer is that of a missing one. */
function noThread(thread_id: string): ClewlineError {
  return new ClewlineError('not-found', `No thread "${thread_id}".`, {
    hint: 'Use the id of a thread of yours (GET /api/threads lists them), or create one without an id: POST /api/threads.',
  })
}

/** The id is there already: a conflict for its owner, and no thread at all for anyone else. */
export async function idTaken(
  { store }: Pick<RuntimeContext, 'store'>,
  thread_id: string,
  owner: string | undefined,
): Promise<ClewlineError> {
  const thread = await store.threads.get(thread_id)
  if (thread !== null && owner !== undefined && thread.owner !== owner) return noThread(thread_id)
  return new ClewlineError('conflict', `The thread id "${thread_id}" is taken.`, {
    hint: 'Leave thread_id out, or choose another one.',
  })
}
