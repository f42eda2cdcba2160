import type { Timeline, View } from '@clewline/core/view'
import { createContext } from 'react'

/** What time it is for calls that still run: by the wall for a live run, a moment of the log (seconds) otherwise. */
export type CallClock = 'wall' | number

export const ClockContext = createContext<CallClock>('wall')

// A run that has been silent this long is a recording, or waits for a server that is gone.
const FRESH_SECONDS = 60

/** The time of the newest envelope on the screen, in seconds. */
export function lastMoment(view: View, timeline: Timeline): number {
  return timeline.entry(view.count - 1)?.envelope.ts ?? 0
}

export function clockOf(view: View, timeline: Timeline): CallClock {
  const shown = lastMoment(view, timeline)
  const isLive = view.count === timeline.length && Date.now() / 1000 - shown < FRESH_SECONDS
  return isLive ? 'wall' : shown
}
