import type { RunOutcome } from '@clewline/core/source'
import { redactOutcome } from '../redact/redact-outcome.ts'
import type { Run } from '../store/store.ts'
import { beginRun } from './begin-run.ts'
import type { StopReason } from './execute-run.ts'
import type { RuntimeContext } from './runtime-context.ts'
import { settlementOf } from './settlement.ts'
import { ledgerFor } from './trace-history.ts'

/**
 * Ends a run that was claimed, without its source: it is given up, or cancelled between two attempts. Only the log is
 * read, so that a run whose state cannot be read ends, too.
 */
export async function endRun(
  runtime: RuntimeContext,
  run: Run,
  ending: { readonly outcome: RunOutcome; readonly reason: StopReason | null },
): Promise<void> {
  const { thread_id, run_id, attempt } = run
  const writer = runtime.log.writer(thread_id, { run_id, attempt })
  if (runtime.store.isShared) await runtime.log.refresh(thread_id)
  const begun = await beginRun(runtime, run, undefined)
  const { ledger, hasHistory } = await ledgerFor(runtime, begun)
  const { envelopes, settlement } = settlementOf(ledger, run, {
    outcome: redactOutcome(runtime.redaction, ending.outcome, run.agent),
    reason: ending.reason,
    hasRoot: hasHistory,
  })
  await writer.push(envelopes)
  await writer.flush(settlement)
  runtime.metrics.runsEnded.inc({ status: settlement.status })
}
