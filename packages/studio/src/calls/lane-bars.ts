import type { Call, Lane } from '@clewline/core/view'
import type { TimeScale } from './time-scale.ts'

/** A box in a lane; several calls too short to see alone are one box. */
export interface LaneBar {
  readonly call: Call
  readonly x: number
  readonly width: number
  readonly count: number
}

// A thousandth of the picture is about a pixel.
const LEAST = 0.002

/** Where the bars of a lane stand, with neighbours of a kind joined when they would overlap. */
export function laneBars(lane: Lane, scale: TimeScale, now: number): readonly LaneBar[] {
  const bars: { call: Call; x: number; width: number; count: number }[] = []
  for (const call of lane.bars) {
    const x = scale.at(call.started_at)
    const end = scale.at(call.ended_at ?? now)
    const width = Math.max(end - x, LEAST)
    const last = bars.at(-1)
    const isTiny = end - x < LEAST
    if (
      last !== undefined &&
      isTiny &&
      last.width <= LEAST * 2 &&
      last.call.kind === call.kind &&
      x < last.x + last.width
    ) {
      last.width = Math.max(last.width, x + width - last.x)
      last.count += 1
    } else bars.push({ call, x, width, count: 1 })
  }
  return bars
}
