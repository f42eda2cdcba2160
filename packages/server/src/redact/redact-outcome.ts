import type { RunOutcome } from '@clewline/core/source'
import type { Redaction } from './redaction.ts'

/** How a run ended, as its row and the ends of its calls may say it. */
export function redactOutcome(redaction: Redaction | null, outcome: RunOutcome, agent: string): RunOutcome {
  if (redaction === null || outcome.status !== 'error') return outcome
  const { name, message } = outcome.error
  return { status: 'error', error: { name, message: redaction.text(message, 'error', agent) } }
}
