/** Longer pauses (a question that waited a day) are not waited for. */
export const LONGEST_PAUSE_MS = 2_000

/**
 * How many milliseconds to wait before what was said at `ts` is shown. It keeps to a timetable: pauses too short for a
 * timer add up to one, and what showing took is not waited for again.
 */
export function createPace(speed: number): (ts: number, nowMs: number) => number {
  let previous: number | null = null
  let due = 0
  return (ts, nowMs) => {
    const pause =
      previous === null ? 0 : Math.min(Math.max(ts - previous, 0) * 1000, LONGEST_PAUSE_MS) / speed
    due = previous === null ? nowMs : due + pause
    previous = ts
    return due - nowMs
  }
}
