import type { Draft, Source } from '@clewline/core/source'
import type { SegmentLog } from '../log/segment-log.ts'
import type { Redaction } from '../redact/redaction.ts'
import type { Store } from '../store/store.ts'
import type { Admission } from './admission.ts'
import type { Bus } from './bus.ts'
import type { Metrics } from './metrics.ts'

/** What everything in the runtime shares. */
export interface RuntimeContext {
  readonly store: Store
  readonly log: SegmentLog
  readonly agents: ReadonlyMap<string, Source>
  readonly bus: Bus
  readonly metrics: Metrics
  readonly admission: Admission
  /** Refuses values that are too large for the record. */
  readonly limit: (draft: Draft) => readonly Draft[]
  /** Redacts what is recorded; null when nothing is. */
  readonly redaction: Redaction | null
  /** The clock of this process, in milliseconds since the epoch: for envelopes. What processes compare goes by `store.now`. */
  readonly now: () => number
}
