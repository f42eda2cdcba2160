import type { Timeline } from '@clewline/core/view'

/** The newest state of the main graph among the first `count` entries, or null while there is none. */
export function checkpointAt(timeline: Timeline, count: number): string | null {
  for (let n = count - 1; n >= 0; n--) {
    const envelope = timeline.entry(n)?.envelope
    if (envelope?.type === 'subgraph_checkpoint' && envelope.parent_id === null)
      return envelope.payload.checkpoint_id
  }
  return null
}
