import type { Entry } from '@clewline/core'

/** A hole in a call's `seq`, as it was noticed. */
interface Gap {
  readonly call_id: string
  /** First and last missing `seq`. */
  readonly from: number
  readonly to: number
  readonly position: number
}

export interface IntakeCount {
  readonly received: number
  readonly duplicates: number
  readonly missing: number
  readonly gaps: readonly Gap[]
  /** Lines that were no envelopes, newest last, at most twenty kept. */
  readonly problems: readonly string[]
  readonly problemCount: number
}

export const NOTHING_TAKEN: IntakeCount = {
  received: 0,
  duplicates: 0,
  missing: 0,
  gaps: [],
  problems: [],
  problemCount: 0,
}

/**
 * Stands before the timeline: drops what a resume brings again and notices what is missing, both proved by `seq`.
 * A coalesced envelope covers `from_seq` to `seq`; one that overlaps what is known is a duplicate as a whole, because
 * the server gives a resuming reader its first positions un-joined.
 */
export function createIntake(): {
  readonly take: (entries: readonly Entry[]) => readonly Entry[]
  readonly problem: (message: string) => void
  readonly count: () => IntakeCount
} {
  const seqs = new Map<string, number>()
  let count = NOTHING_TAKEN

  return {
    take(entries) {
      const fresh: Entry[] = []
      const gaps: Gap[] = []
      let missing = 0
      for (const entry of entries) {
        const { call_id, seq } = entry.envelope
        const last = seqs.get(call_id) ?? 0
        if (seq <= last) continue
        const first = firstSeq(entry)
        if (first > last + 1) {
          missing += first - last - 1
          gaps.push({ call_id, from: last + 1, to: first - 1, position: entry.position })
        }
        seqs.set(call_id, seq)
        fresh.push(entry)
      }
      count = {
        ...count,
        received: count.received + entries.length,
        duplicates: count.duplicates + entries.length - fresh.length,
        missing: count.missing + missing,
        gaps: gaps.length === 0 ? count.gaps : [...count.gaps, ...gaps].slice(-200),
      }
      return fresh
    },
    problem(message) {
      count = {
        ...count,
        problems: [...count.problems, message].slice(-20),
        problemCount: count.problemCount + 1,
      }
    },
    count: () => count,
  }
}

function firstSeq({ envelope }: Entry): number {
  const isCoalesced = envelope.type === 'llm_token' || envelope.type === 'tool_update'
  return (isCoalesced ? envelope.payload.from_seq : undefined) ?? envelope.seq
}
