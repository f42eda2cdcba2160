import type { Timeline } from '@clewline/core/view'

export type Speed = 0.5 | 1 | 2 | 4 | 8 | 'max'

// Waiting for a person, or for a slow model, is not worth watching twice.
const LONGEST_PAUSE = 0.8

/**
 * How many entries are shown after playing on from `from` for `elapsed` seconds. By the time stamps of the log, with
 * pauses shortened; `max` shows a hundredth of what is left, and at least twenty, each frame.
 */
export function advance(
  timeline: Timeline,
  from: number,
  elapsed: number,
  speed: Speed,
): { n: number; rest: number } {
  if (speed === 'max')
    return { n: Math.min(timeline.length, from + Math.max(20, Math.ceil(timeline.length / 100))), rest: 0 }
  let time = elapsed * speed
  let n = from
  while (n < timeline.length) {
    const gap = Math.min(LONGEST_PAUSE, gapBefore(timeline, n))
    if (gap > time) break
    time -= gap
    n += 1
  }
  return { n, rest: n >= timeline.length ? 0 : time / speed }
}

function gapBefore(timeline: Timeline, n: number): number {
  const before = timeline.entry(n - 1)?.envelope.ts
  const after = timeline.entry(n)?.envelope.ts
  return before === undefined || after === undefined ? 0 : Math.max(0, after - before)
}

/** The next or previous entry at which something begins, ends, asks or fails: what a step goes to. */
export function stepTo(timeline: Timeline, from: number, direction: 1 | -1): number {
  for (let n = from + direction; n > 0 && n < timeline.length; n += direction) {
    const type = timeline.entry(n - 1)?.envelope.type
    if (type !== 'llm_token' && type !== 'tool_update') return n
  }
  return direction === 1 ? timeline.length : 0
}
