import type { Timeline } from '@clewline/core/view'

/** What the scrubber draws: how many calls were open where, and the moments worth a mark. */
export interface Activity {
  /** 0 … 1 per bucket, of the busiest. */
  readonly levels: readonly number[]
  readonly marks: readonly Mark[]
}

interface Mark {
  /** Number of entries that are shown there. */
  readonly n: number
  readonly kind: 'start' | 'ask' | 'error' | 'warning'
}

/** Reads the log once, and then only what came since. */
export function createActivity(timeline: Timeline): (buckets: number) => Activity {
  const marks: Mark[] = []
  const open = new Set<string>()
  /** How many calls were open after each entry. */
  const counts: number[] = []

  function catchUp(): void {
    for (let index = counts.length; index < timeline.length; index++) {
      const envelope = timeline.entry(index)?.envelope
      if (envelope === undefined) break
      const { type, call_id } = envelope
      if (type === 'tool_start' || type === 'llm_start') open.add(call_id)
      else if (type === 'tool_end' || type === 'llm_end' || type === 'error') open.delete(call_id)
      counts.push(open.size)
      const kind = markOf(envelope)
      if (kind !== null) marks.push({ n: index + 1, kind })
    }
  }

  return (buckets) => {
    catchUp()
    const peaks = Array.from({ length: buckets }, () => 0)
    for (const [index, count] of counts.entries()) {
      const at = Math.min(buckets - 1, Math.floor((index / counts.length) * buckets))
      peaks[at] = Math.max(peaks[at] ?? 0, count)
    }
    const most = Math.max(1, ...peaks)
    return { levels: peaks.map((peak) => peak / most), marks: thin(marks) }
  }
}

type Envelope = NonNullable<ReturnType<Timeline['entry']>>['envelope']

function markOf(envelope: Envelope): Mark['kind'] | null {
  if (envelope.type === 'error') return 'error'
  if (envelope.type === 'warning') return 'warning'
  if (envelope.type === 'subgraph_checkpoint')
    return (envelope.payload.interrupts?.length ?? 0) > 0 ? 'ask' : null
  return envelope.type === 'tool_start' && envelope.parent_id === null ? 'start' : null
}

/** More marks than pixels help nobody. */
function thin(marks: readonly Mark[]): readonly Mark[] {
  const step = Math.ceil(marks.length / 200)
  return step <= 1 ? [...marks] : marks.filter((_, index) => index % step === 0)
}
