import type { Envelope } from '@skein/core'
import { createLedger } from '@skein/core/source'

/** The envelopes, and then the ends of the calls that they leave open: a log that can stand for itself. */
export function closedOff(envelopes: readonly Envelope[], now: () => number): Envelope[] {
  const closed = [...envelopes]
  for (const trace_id of new Set(envelopes.map((envelope) => envelope.trace_id))) {
    const history = envelopes.filter((envelope) => envelope.trace_id === trace_id)
    const run_id = history.at(-1)?.run_id
    if (run_id === undefined) continue
    const ends = createLedger({ trace_id, run_id, history, now }).close({ status: 'cancelled' })
    closed.push(...ends.map((end): Envelope => ({ ...end, origin: 'replay' })))
  }
  return closed
}
