import type { Envelope } from '@clewline/core'
import { createLedger } from '@clewline/core/source'

/** The envelopes, followed by the ends of the calls that they leave open: a log that passes `verify` by itself. */
export function endOpenCalls(envelopes: readonly Envelope[], now: () => number): Envelope[] {
  const traces = new Map<string, Envelope[]>()
  for (const envelope of envelopes) {
    const history = traces.get(envelope.trace_id)
    if (history === undefined) traces.set(envelope.trace_id, [envelope])
    else history.push(envelope)
  }
  const closed = [...envelopes]
  for (const [trace_id, history] of traces) {
    const { run_id } = history.at(-1)!
    const ends = createLedger({ trace_id, run_id, history, now }).close({ status: 'cancelled' })
    closed.push(...ends.map((end): Envelope => ({ ...end, origin: 'replay' })))
  }
  return closed
}
