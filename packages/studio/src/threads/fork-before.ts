import type { Call } from '@clewline/core/view'
import type { Client, Thread } from '@clewline/client'

/** A new thread that holds what the old one held before a root call began. Nothing before it: an empty thread. */
export async function forkBefore(client: Client, thread: string, root: Call, agent: string): Promise<Thread> {
  const checkpoints = await client.threads.checkpoints(thread)
  const begun = root.started_at * 1000
  // Newest first: the first that is older than the request is the state that it found.
  const found = checkpoints.find(({ ts }) => Date.parse(ts) < begun)
  return found === undefined
    ? client.threads.create({ agent })
    : client.threads.fork(thread, { checkpoint_id: found.checkpoint_id })
}
