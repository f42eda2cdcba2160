import type { Envelope } from '@clewline/core'
import { createLedger, type Ledger } from '@clewline/core/source'
import type { Run } from '../store/store.ts'
import type { RuntimeContext } from './runtime-context.ts'

export interface TraceLedger {
  readonly ledger: Ledger
  readonly hasHistory: boolean
  /** The calls that ended before. */
  readonly ended: ReadonlySet<string>
}

/** A ledger that knows what the log holds of the run's trace: `seq`, attempts and open calls go on from there. */
export async function ledgerFor(
  runtime: RuntimeContext,
  run: Pick<Run, 'run_id' | 'trace_id' | 'thread_id'>,
): Promise<TraceLedger> {
  const { trace_id, run_id } = run
  const history = await traceHistory(runtime, run)
  const ledger = createLedger({ trace_id, run_id, history, now: runtime.now })
  const ended = history.filter(({ type }) => type === 'tool_end' || type === 'llm_end')
  return {
    ledger,
    hasHistory: history.length > 0,
    ended: new Set(ended.map(({ call_id }) => call_id)),
  }
}

async function traceHistory(
  runtime: RuntimeContext,
  run: Pick<Run, 'trace_id' | 'thread_id'>,
): Promise<Envelope[]> {
  const starts = (await runtime.store.runs.trace(run.trace_id)).flatMap(({ position }) => position ?? [])
  if (starts.length === 0) return []
  const history: Envelope[] = []
  const read = { after: Math.min(...starts), follow: false }
  for await (const entries of runtime.log.read(run.thread_id, read)) {
    for (const { envelope } of entries) if (envelope.trace_id === run.trace_id) history.push(envelope)
  }
  return history
}
