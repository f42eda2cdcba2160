import type { Api } from '../connection/api.ts'
import type { Run, Thread } from '../connection/resources.ts'

/** A run that waits for its time, and the thread that it will write to. */
export interface DelayedRun {
  readonly run: Run
  readonly thread: Thread
}

// A run that is due this soon is on its way: the worker takes it up before it could be cancelled here.
const SOON_MS = 1000

/**
 * Runs that wait for their time, the next one first. The server lists runs by thread only, so this asks the threads
 * that changed last: to delay a run is a change.
 */
export async function delayedRuns(api: Api, now = Date.now()): Promise<readonly DelayedRun[]> {
  const { threads } = await api.threads()
  const found = await Promise.all(
    threads.map(async (thread) => {
      // A thread may be deleted between the two questions.
      const runs = await api.runs(thread.thread_id).catch(() => [])
      return runs.map((run) => ({ run, thread }))
    }),
  )
  return found
    .flat()
    .filter(({ run }) => run.status === 'pending' && Date.parse(run.run_at) > now + SOON_MS)
    .toSorted((a, b) => a.run.run_at.localeCompare(b.run.run_at))
}
