import type { Timeline } from '@clewline/core/view'
import { createContext, useContext } from 'react'

const HUES = 8

/** An agent's colour. */
export type HueOf = (agent: string) => string

/**
 * Colours by the order in which agents appear in the log, so that an agent has the same one on every device and at
 * every moment. Handed out in turn: by a hash, two agents of three look alike.
 */
export function createHues(timeline: Timeline): HueOf {
  const given = new Map<string, number>()
  return (agent) => {
    if (!given.has(agent)) {
      for (const call of timeline.latest().calls.values())
        if (!given.has(call.agent)) given.set(call.agent, given.size % HUES)
    }
    return `var(--cw-hue-${given.get(agent) ?? 0})`
  }
}

export const HueContext = createContext<HueOf>(() => 'var(--cw-hue-0)')

export function useHue(): HueOf {
  return useContext(HueContext)
}
