import type { Skein } from '../create-skein.ts'
import type { Target } from './target.ts'

/** A Skein in this process. */
export function localTarget(skein: Skein): Target {
  return {
    thread: async (thread_id) =>
      (await skein.threads.create(thread_id === undefined ? {} : { thread_id })).thread_id,
    async start(thread_id, wish) {
      const { run, position } = await skein.runs.create(thread_id, wish)
      return { run_id: run.run_id, position }
    },
    run: (thread_id, run_id) => skein.runs.get(thread_id, run_id),
    async cancel(thread_id, run_id) {
      await skein.runs.cancel(thread_id, run_id)
    },
    async last(thread_id) {
      await skein.threads.get(thread_id)
      return skein.log.last(thread_id)
    },
    read: (thread_id, options) => skein.log.read(thread_id, options),
    close: () => skein.close(),
  }
}
