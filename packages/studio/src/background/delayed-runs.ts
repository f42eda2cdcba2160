import type { Client, Run, Thread } from '@clewline/client'

/** A run that waits for its time, and the thread that it will write to. */
export interface DelayedRun {
  readonly run: Run
  readonly thread: Thread
}

// A run that is due this soon is on its way: the worker takes it up before it could be cancelled here.
const SOON_MS = 1000

/** Runs that wait for their time, the next one first. */
export async function delayedRuns(client: Client, now = Date.now()): Promise<readonly DelayedRun[]> {
  const waiting = (await client.runs.unfinished('pending', { inputs: true })).filter(
    ({ run_at }) => Date.parse(run_at) > now + SOON_MS,
  )
  const threads = new Map<string, Promise<Thread | null>>()
  for (const { thread_id } of waiting) {
    // A thread may be deleted between the two questions.
    if (!threads.has(thread_id))
      threads.set(
        thread_id,
        client.threads.get(thread_id).catch(() => null),
      )
  }
  const found = await Promise.all(
    waiting.map(async (run) => ({ run, thread: (await threads.get(run.thread_id)) ?? null })),
  )
  return found.flatMap(({ run, thread }) => (thread === null ? [] : [{ run, thread }]))
}
