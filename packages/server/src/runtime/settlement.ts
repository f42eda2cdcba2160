import type { Envelope } from '@clewline/core'
import type { Ledger, RunOutcome } from '@clewline/core/source'
import type { Run, RunError, RunStatus, Settlement, ThreadStatus } from '../store/store.ts'
import type { StopReason } from './execute-run.ts'
import { authorOf } from './sign-draft.ts'

const THREAD_STATUS: Readonly<Record<RunStatus, ThreadStatus>> = {
  pending: 'busy',
  running: 'busy',
  success: 'idle',
  cancelled: 'idle',
  interrupted: 'interrupted',
  error: 'error',
}

/** How a run ends: the envelopes that close what it left open, and what its row and its thread say from then on. */
export function settlementOf(
  ledger: Ledger,
  run: Run,
  ending: RunEnding,
): { envelopes: readonly Envelope[]; settlement: Settlement } {
  const { status, error } = verdict(run, ending)
  return {
    envelopes: closing(ledger, run, ending, status, error),
    settlement: { status, thread_status: THREAD_STATUS[status], error },
  }
}

export interface RunEnding {
  readonly outcome: RunOutcome
  readonly reason: StopReason | null
  /** Whether the trace's root call has ever started. */
  readonly hasRoot: boolean
}

function verdict(run: Run, { outcome, reason }: RunEnding): { status: RunStatus; error: RunError | null } {
  // What the source finished before it heard of the stop stands.
  if (outcome.status === 'success' || outcome.status === 'interrupted') {
    return { status: outcome.status, error: null }
  }
  if (reason === 'deadline') {
    const seconds = run.request.config?.deadline_seconds
    return {
      status: 'error',
      error: { name: 'DeadlineExceeded', message: `The run took longer than its ${seconds} s.` },
    }
  }
  if (outcome.status === 'error' && reason !== 'cancel') return { status: 'error', error: outcome.error }
  return { status: 'cancelled', error: null }
}

function closing(
  ledger: Ledger,
  run: Run,
  { hasRoot }: RunEnding,
  status: RunStatus,
  error: RunError | null,
): readonly Envelope[] {
  if (status === 'interrupted') return []
  const root = { path: [], agent: run.agent }
  if (error !== null) {
    // A run that failed before its first envelope must be seen in the log, too.
    const start = hasRoot
      ? []
      : ledger.stamp({
          ...root,
          type: 'tool_start',
          payload: { tool_name: run.agent, kind: 'graph', by: authorOf(run) },
        })
    return [...start, ...ledger.close({ status: 'error', ...error })]
  }
  if (status === 'success' && ledger.isOpen([])) {
    const warning = ledger.stamp({
      ...root,
      type: 'warning',
      payload: { code: 'no-completion-signal', message: 'The run ended without saying how.' },
    })
    return [...warning, ...ledger.close({ status: 'cancelled' })]
  }
  return ledger.close({ status: 'cancelled' })
}
