import { shownRun } from '../redact/shown-run.ts'
import type { RuntimeContext } from './runtime-context.ts'

/** Publishes a thread, and a run of it, as they are now. */
export async function announce(
  { store, bus, redaction }: Pick<RuntimeContext, 'store' | 'bus' | 'redaction'>,
  thread_id: string,
  run_id?: string,
): Promise<void> {
  const thread = await store.threads.get(thread_id)
  if (thread === null) return
  bus.publish({ type: 'thread', thread })
  const run = run_id === undefined ? null : await store.runs.get(run_id)
  if (run !== null) bus.publish({ type: 'run', run: shownRun(redaction, run), owner: thread.owner })
}
