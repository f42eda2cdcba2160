import { randomUUID } from 'node:crypto'
import type { Run, RunSummary } from '../store/store.ts'
import { announce } from './announce.ts'
import type { Bus } from './bus.ts'
import { endRun } from './end-run.ts'
import type { RuntimeContext } from './runtime-context.ts'
import type { Worker } from './worker.ts'

/** The worker that has the run may have missed the notice, or died: it is asked again so often. */
const ASK_AGAIN_MS = 200
/** Longer than a healthy worker takes with a tool that does not stop by itself; then the worker is taken for dead. */
const DEAF_MS = 5_000
/** Enough to write the end of a run. */
const END_LEASE_MS = 15_000

/**
 * Ends a run, in whichever process it is; resolves when it is over. Idempotent: a run that is over stays as it is.
 * Bounded: a worker that lives ends it within its grace period; from one that does not, it is taken after `DEAF_MS`.
 */
export async function cancelRun(
  runtime: RuntimeContext,
  worker: Worker,
  { thread_id, run_id }: Pick<Run, 'thread_id' | 'run_id'>,
): Promise<void> {
  const { store } = runtime
  const deafAt = performance.now() + DEAF_MS
  for (;;) {
    if (await store.runs.cancelPending(run_id)) return await cancelled(runtime, thread_id, run_id)
    // In the store it is running as soon as it is claimed, which is before the worker has it.
    if (worker.running(run_id) === undefined) await worker.claims()
    const running = worker.running(run_id)
    running?.stop('cancel')
    if (running === undefined) await cancelElsewhere(runtime, run_id, performance.now() > deafAt)
    else await running.done
    // Given back, or between two attempts: whoever stopped it has not ended it.
    const status = (await store.runs.get(run_id))?.status
    if (status !== 'running' && status !== 'pending') return
  }
}

async function cancelled(runtime: RuntimeContext, thread_id: string, run_id: string): Promise<void> {
  const { store, metrics } = runtime
  metrics.runsEnded.inc({ status: 'cancelled' })
  const active = await store.runs.active(thread_id)
  const thread = await store.threads.get(thread_id)
  if (active.length === 0 && thread?.status === 'busy') {
    await store.threads.update(thread_id, { status: 'idle', updated_at: await store.now() })
  }
  await announce(runtime, thread_id, run_id)
}

/** Ends a run that no worker holds, or one whose worker is deaf; otherwise asks its worker, and waits a moment for it. */
async function cancelElsewhere(runtime: RuntimeContext, run_id: string, isDeaf: boolean): Promise<void> {
  const { store, bus } = runtime
  const worker = `cancel:${randomUUID()}`
  const held = isDeaf ? await store.runs.get(run_id) : null
  const run =
    (await store.runs.seize(run_id, worker, END_LEASE_MS)) ??
    (held === null ? null : await store.runs.takeOver(held, worker, END_LEASE_MS))
  if (run !== null) {
    await endRun(runtime, run, { outcome: { status: 'cancelled' }, reason: 'cancel' })
    return await announce(runtime, run.thread_id, run_id)
  }
  const over = untilOver(bus, run_id, ASK_AGAIN_MS)
  if (store.isShared) await store.notices.publish({ kind: 'cancel', run_id })
  await over
}

/** Resolves when a run is published as over, or after `ms`. */
function untilOver(bus: Bus, run_id: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(stop, ms)
    const unsubscribe = bus.subscribe((change) => {
      if (change.type === 'run' && change.run.run_id === run_id && change.run.ended_at !== null) stop()
    })
    function stop(): void {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
  })
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
