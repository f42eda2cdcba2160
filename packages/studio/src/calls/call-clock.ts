import type { Timeline, View } from '@clewline/core/view'
import { createContext } from 'react'
import { lastMoment } from './last-moment.ts'

/** What time it is for calls that still run: by the wall for a live run, a moment of the log (seconds) otherwise. */
export type CallClock = 'wall' | number

export const ClockContext = createContext<CallClock>('wall')

// A run that has been silent this long is a recording, or waits for a server that is gone.
const FRESH_SECONDS = 60

export function clockOf(view: View, timeline: Timeline): CallClock {
  const shown = lastMoment(view, timeline)
  const isLive = view.count === timeline.length && Date.now() / 1000 - shown < FRESH_SECONDS
  return isLive ? 'wall' : shown
}
