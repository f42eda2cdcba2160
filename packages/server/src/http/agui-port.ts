import type { SettledRun, Threads } from '@clewline/agui'
import { normalise } from '@clewline/core/message'
import { checkId } from '../runtime/check-id.ts'
import type { Runtime } from '../runtime/create-runtime.ts'
import type { Run } from '../store/store.ts'
import type { Caller } from './route.ts'

/** The runtime as AG-UI's streams see it, for one caller. */
export function aguiPort(runtime: Runtime, { owner, user }: Caller): Threads {
  const { threads, runs, log, store } = runtime

  async function isVisible(thread_id: string): Promise<boolean> {
    const thread = await store.threads.get(thread_id)
    return thread !== null && (owner === undefined || thread.owner === owner)
  }

  return {
    async start({ thread_id, run_id, agent, request, tools, configurable }) {
      checkId('run_id', run_id)
      const isThere = (await store.threads.get(thread_id)) !== null
      // A run that is refused must not leave an empty thread behind.
      const isRefused = !isThere && (request.kind === 'resume' || (await store.runs.get(run_id)) !== null)
      if (!isRefused) await threads.create({ thread_id, agent }, owner)
      const asked = request.kind === 'input' ? { input: request.input } : { resume: request.answers }
      const { run, position } = await runs.create(
        thread_id,
        { ...asked, agent, run_id, tools, config: { configurable }, ...(user && { user }) },
        owner,
      )
      return { run_id: run.run_id, position }
    },
    read: (thread_id, options) => log.read(thread_id, options),
    async state(thread_id) {
      if (!(await isVisible(thread_id))) return null
      const { values, interrupts, status, position } = await threads.state(thread_id)
      const active = await store.runs.active(thread_id)
      const attached = active.find((run) => run.status === 'running') ?? active[0]
      const newest = attached ?? (await store.runs.list(thread_id, 1))[0]
      return {
        values,
        messages: normalise(values).messages,
        interrupts,
        status,
        position,
        active_run: attached?.run_id ?? null,
        trace_position: await traceStart(runtime, newest),
      }
    },
    settled: (thread_id, run_id, signal) => settled(runtime, thread_id, run_id, signal),
    async cancel(thread_id, run_id) {
      await runs.cancel(thread_id, run_id, owner)
    },
    async describe(name) {
      const source = runtime.agents.get(name)
      return source === undefined ? null : { ...(await source.describe()), name }
    },
  }
}

/** A position before everything that the run's trace has said. */
async function traceStart({ store }: Runtime, run: Pick<Run, 'trace_id'> | undefined): Promise<number> {
  if (run === undefined) return 0
  const starts = (await store.runs.trace(run.trace_id)).flatMap(({ position }) => position ?? [])
  return starts.length === 0 ? 0 : Math.min(...starts)
}

const LOOK_AGAIN_MS = 5_000

/** Waits for the row, which changes in the same transaction as the run's last envelope. */
function settled(
  { bus, runs }: Runtime,
  thread_id: string,
  run_id: string,
  signal: AbortSignal,
): Promise<SettledRun> {
  return new Promise((resolve, reject) => {
    const finish = (end: () => void): void => {
      clearInterval(timer)
      unsubscribe()
      signal.removeEventListener('abort', onAbort)
      end()
    }
    const look = (run: Run): void => {
      const { status, error, end_position } = run
      if (status === 'pending' || status === 'running') return
      const failed = error === null ? {} : { error }
      finish(() => resolve({ status, position: end_position ?? 0, ...failed }))
    }
    const onAbort = (): void => finish(() => reject(signal.reason))
    const unsubscribe = bus.subscribe((change) => {
      if (change.type === 'run' && change.run.run_id === run_id) look(change.run)
    })
    signal.addEventListener('abort', onAbort, { once: true })
    const ask = (): void => {
      runs.get(thread_id, run_id).then(look, (error: unknown) => finish(() => reject(error)))
    }
    // At most once: an announcement is lost when the store is unavailable at that moment.
    const timer = setInterval(ask, LOOK_AGAIN_MS)
    if (signal.aborted) onAbort()
    else ask()
  })
}
