import type { Envelope } from '@clewline/core'
import { createLedger, type Ledger } from '@clewline/core/source'
import type { Run } from '../store/store.ts'
import type { Parts } from './parts.ts'

/** A ledger that knows what the log holds of the run's trace: `seq`, attempts and open calls go on from there. */
export async function ledgerFor(parts: Parts, run: Run): Promise<{ ledger: Ledger; hasHistory: boolean }> {
  const { trace_id, run_id } = run
  const history = await traceHistory(parts, run)
  const ledger = createLedger({ trace_id, run_id, history, now: parts.now })
  return { ledger, hasHistory: history.length > 0 }
}

async function traceHistory(parts: Parts, run: Run): Promise<Envelope[]> {
  const starts = (await parts.store.runs.trace(run.trace_id)).flatMap(({ position }) => position ?? [])
  if (starts.length === 0) return []
  const history: Envelope[] = []
  const read = { after: Math.min(...starts), follow: false }
  for await (const { envelope } of parts.log.read(run.thread_id, read)) {
    if (envelope.trace_id === run.trace_id) history.push(envelope)
  }
  return history
}
