import type { Timeline } from '@skein/core/view'

/** What the scrubber draws: how much happened where, and the moments worth a mark. */
export interface Activity {
  /** 0 … 1 per bucket, of the busiest. */
  readonly levels: readonly number[]
  readonly marks: readonly Mark[]
}

export interface Mark {
  /** Number of entries that are shown there. */
  readonly n: number
  readonly kind: 'start' | 'ask' | 'error' | 'warning'
}

/** Reads the log once, and then only what came since. */
export function createActivity(timeline: Timeline): (buckets: number) => Activity {
  const marks: Mark[] = []
  // Calls that are open after each entry would need a pass per bucket; starts and ends in it say the same.
  const isBusy: number[] = []
  let read = 0

  function catchUp(): void {
    for (; read < timeline.length; read++) {
      const envelope = timeline.entry(read)?.envelope
      if (envelope === undefined) break
      isBusy.push(envelope.type === 'llm_token' || envelope.type === 'tool_update' ? 0 : 1)
      const kind = markOf(envelope)
      if (kind !== null) marks.push({ n: read + 1, kind })
    }
  }

  return (buckets) => {
    catchUp()
    const sums = Array.from({ length: buckets }, () => 0)
    const per = Math.max(1, read / buckets)
    for (const [index, weight] of isBusy.entries()) {
      const at = Math.min(buckets - 1, Math.floor(index / per))
      sums[at] = (sums[at] ?? 0) + weight
    }
    const most = Math.max(1, ...sums)
    return { levels: sums.map((sum) => sum / most), marks: thin(marks) }
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
