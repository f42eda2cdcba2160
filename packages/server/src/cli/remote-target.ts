import { createClient } from '@clewline/client'
import type { Target } from './target.ts'

/** How often a read of what is there is taken up again: about eight seconds in all. */
const RETRIES = 5

/** A Clewline that runs elsewhere, over HTTP. */
export function remoteTarget(url: string, token: string | undefined): Target {
  const { threads, runs, ...client } = createClient({ url, ...(token !== undefined && { token }) })
  return {
    thread: async (thread_id) =>
      (await threads.create(thread_id === undefined ? {} : { thread_id })).thread_id,
    start: (thread_id, run) => runs.create(thread_id, run),
    run: (thread_id, run_id) => runs.get(thread_id, run_id),
    cancel: async (thread_id, run_id) => void (await runs.cancel(thread_id, run_id)),
    last: async (thread_id) => (await threads.get(thread_id)).position,
    read(thread_id, { after, follow, signal }) {
      const options = { after, signal, profile: 'debug' } as const
      return follow
        ? client.follow(thread_id, options)
        : client.read(thread_id, { ...options, retries: RETRIES })
    },
    close: () => Promise.resolve(),
  }
}
