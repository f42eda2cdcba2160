import type { LogWriter } from '../log/segment-log.ts'
import type { Run, RunSummary } from '../store/store.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { ledgerFor } from './trace-history.ts'

/** New input on an interrupted thread abandons the question: the calls that wait for its answer end as cancelled. */
export async function closeAbandoned(runtime: RuntimeContext, run: Run, writer: LogWriter): Promise<void> {
  const waiting = await lastEnded(runtime, run.thread_id)
  if (waiting?.status !== 'interrupted') return
  const { ledger } = await ledgerFor(runtime, waiting)
  await writer.push(ledger.close({ status: 'cancelled' }))
  await writer.flush()
}

/** The run that ended last on the thread, of those that ever began. */
export async function lastEnded(runtime: RuntimeContext, thread_id: string): Promise<RunSummary | undefined> {
  const runs = await runtime.store.runs.list(thread_id, 50)
  return (
    runs
      .filter((run) => run.ended_at !== null && run.started_at !== null)
      // By the log, whose positions are monotonic: a clock may be set back.
      .sort((a, b) => (b.end_position ?? 0) - (a.end_position ?? 0))[0]
  )
}
