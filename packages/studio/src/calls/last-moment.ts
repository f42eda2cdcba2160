import type { Timeline, View } from '@clewline/core/view'

/** The time of the newest envelope on the screen, in seconds. */
export function lastMoment(view: View, timeline: Timeline): number {
  return timeline.entry(view.count - 1)?.envelope.ts ?? 0
}
