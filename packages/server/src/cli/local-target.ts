import type { Clewline } from '../create-clewline.ts'
import type { Target } from './target.ts'

/** A Clewline in this process. */
export function localTarget(clewline: Clewline): Target {
  return {
    thread: async (thread_id) =>
      (await clewline.threads.create(thread_id === undefined ? {} : { thread_id })).thread_id,
    async start(thread_id, wanted) {
      const { run, position } = await clewline.runs.create(thread_id, wanted)
      return { run_id: run.run_id, position }
    },
    run: (thread_id, run_id) => clewline.runs.get(thread_id, run_id),
    async cancel(thread_id, run_id) {
      await clewline.runs.cancel(thread_id, run_id)
    },
    async last(thread_id) {
      await clewline.threads.get(thread_id)
      return clewline.log.last(thread_id)
    },
    read: (thread_id, options) => clewline.log.read(thread_id, options),
    close: () => clewline.close(),
  }
}
