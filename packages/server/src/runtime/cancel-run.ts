import type { Run, RunSummary } from '../store/store.ts'
import { announce } from './announce.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { cancelElsewhere } from './cancel-elsewhere.ts'
import type { Worker } from './worker.ts'

/** Ends a run, in whichever process it is; resolves when it is over. Idempotent: a run that is over stays as it is. */
export async function cancelRun(
  runtime: RuntimeContext,
  worker: Worker,
  { thread_id, run_id }: Pick<Run, 'thread_id' | 'run_id'>,
): Promise<void> {
  const { store, metrics } = runtime
  if (await store.runs.cancelPending(run_id)) {
    metrics.runsEnded.inc({ status: 'cancelled' })
    const active = await store.runs.active(thread_id)
    const thread = await store.threads.get(thread_id)
    if (active.length === 0 && thread?.status === 'busy') {
      await store.threads.update(thread_id, { status: 'idle', updated_at: await store.now() })
    }
    await announce(runtime, thread_id, run_id)
    return
  }
  // In the store it is running as soon as it is claimed, which is before the worker has it.
  if (worker.running(run_id) === undefined) await worker.claims()
  const running = worker.running(run_id)
  running?.stop('cancel')
  await (running === undefined ? cancelElsewhere(runtime, worker, run_id) : running.done)
}

/**
 * Ends the run of a thread and those that wait for their turn behind it; those that are scheduled for later only with
 * `scheduled`. Resolves with them, as they were, when all are over.
 */
export async function cancelRunsOf(
  runtime: RuntimeContext,
  worker: Worker,
  thread_id: string,
  { scheduled }: { readonly scheduled: boolean },
): Promise<readonly RunSummary[]> {
  const now = await runtime.store.now()
  const isWanted = ({ status, run_at }: RunSummary): boolean =>
    status === 'running' || scheduled || run_at <= now
  const runs = (await runtime.store.runs.active(thread_id)).filter(isWanted)
  // Those that wait come first: none of them starts when the running one ends.
  const ordered = runs.toSorted((a, b) => Number(a.status === 'running') - Number(b.status === 'running'))
  for (const run of ordered) await cancelRun(runtime, worker, run)
  return runs
}
