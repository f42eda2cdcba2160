import type { Entry } from '@clewline/core'
import { firstSeq } from '@clewline/core/read'

/** Envelopes that a call lacks. */
export interface Gap {
  readonly call_id: string
  /** First and last missing `seq`. */
  readonly from: number
  readonly to: number
  /** Position of the entry that showed it. */
  readonly position: number
}

/** What a stream brought so far. */
export interface IntakeCount {
  readonly received: number
  readonly duplicates: number
  readonly missing: number
  /** The newest 200. */
  readonly gaps: readonly Gap[]
}

/** Dedupe and gap detection for one stream. */
export interface Intake {
  /** Drops duplicates and counts gaps. */
  readonly take: (entries: readonly Entry[]) => readonly Entry[]
  readonly count: () => IntakeCount
}

export interface IntakeOptions {
  /** Where the stream begins. After a position above 0, the first envelope of a call proves nothing about earlier ones. */
  readonly after?: number
}

const KEPT_GAPS = 200

/**
 * Dedupe and gap detection by `seq` per call (PROTOCOL.md, section 6). A joined envelope covers `from_seq` to `seq`; one
 * that overlaps what is known is a duplicate as a whole, because the server gives a resuming reader its first positions
 * un-joined.
 */
export function createIntake({ after = 0 }: IntakeOptions = {}): Intake {
  const seqs = new Map<string, number>()
  let count: IntakeCount = { received: 0, duplicates: 0, missing: 0, gaps: [] }

  return {
    take(entries) {
      const fresh: Entry[] = []
      const gaps: Gap[] = []
      let missing = 0
      for (const entry of entries) {
        const { call_id, seq } = entry.envelope
        const first = firstSeq(entry.envelope)
        const last = seqs.get(call_id) ?? (after > 0 ? first - 1 : 0)
        if (seq <= last) continue
        if (first > last + 1) {
          missing += first - last - 1
          gaps.push({ call_id, from: last + 1, to: first - 1, position: entry.position })
        }
        seqs.set(call_id, seq)
        fresh.push(entry)
      }
      count = {
        received: count.received + entries.length,
        duplicates: count.duplicates + entries.length - fresh.length,
        missing: count.missing + missing,
        gaps: gaps.length === 0 ? count.gaps : [...count.gaps, ...gaps].slice(-KEPT_GAPS),
      }
      return fresh
    },
    count: () => count,
  }
}
