import type { Timeline } from '@clewline/core/view'

/** How many entries are shown when everything up to a position of the log is: the same moment in every profile. */
export function countAtPosition(timeline: Timeline, position: number): number {
  let low = 0
  let high = timeline.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((timeline.entry(middle)?.position ?? 0) <= position) low = middle + 1
    else high = middle
  }
  return low
}
