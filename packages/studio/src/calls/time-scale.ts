import type { Call, Lane } from '@clewline/core/view'

/** Seconds since the epoch → 0 … 1 across the picture. */
export interface TimeScale {
  readonly at: (ts: number) => number
  /** Seconds that are drawn: idle time counts little. */
  readonly span: number
  /** Where idle time was folded away. */
  readonly folds: readonly { readonly at: number; readonly seconds: number }[]
}

// Nobody wants to scroll through the hour in which a run waited for an answer.
const LONGEST_IDLE = 3
const FOLDED_IDLE = 0.6

/** A linear scale with the idle stretches between calls folded. `now` ends what still runs. */
export function timeScale(lanes: readonly Lane[], now: number): TimeScale {
  const busy = merge(lanes.flatMap(({ bars }) => bars.map((bar) => interval(bar, now))))
  const start = lanes.reduce((least, lane) => Math.min(least, lane.started_at), busy[0]?.[0] ?? now)
  const stretches: { from: number; to: number; x: number; width: number }[] = []
  const folds: { at: number; seconds: number }[] = []
  let x = 0
  let last = start
  const add = (to: number, isBusy: boolean): void => {
    const seconds = to - last
    if (seconds <= 0) return
    const width = isBusy || seconds <= LONGEST_IDLE ? seconds : FOLDED_IDLE
    if (width < seconds) folds.push({ at: x + width / 2, seconds })
    stretches.push({ from: last, to, x, width })
    x += width
    last = to
  }
  for (const [from, to] of busy) {
    add(from, false)
    add(to, true)
  }
  const span = Math.max(x, 0.001)
  return {
    span,
    folds: folds.map(({ at, seconds }) => ({ at: at / span, seconds })),
    at(ts) {
      const found = stretches.find(({ to }) => ts <= to)
      if (found === undefined) return stretches.length === 0 ? 0 : 1
      const part = Math.max(0, ts - found.from) / (found.to - found.from)
      return (found.x + part * found.width) / span
    },
  }
}

function interval(bar: Call, now: number): readonly [number, number] {
  const end = bar.ended_at ?? (bar.status === 'running' ? now : bar.started_at)
  return [bar.started_at, Math.max(end, bar.started_at + 0.001)]
}

function merge(intervals: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const merged: [number, number][] = []
  for (const [from, to] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}
