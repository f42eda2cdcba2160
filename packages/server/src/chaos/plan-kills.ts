import { type Aim, MOMENTS, type Window, WINDOWS } from './aim.ts'

/** How often a window opens while each agent runs once, about: a kill may fall on any of them. */
const OPENINGS: Readonly<Record<Window, number>> = {
  accept: 10,
  claim: 10,
  begin: 10,
  'log-commit': 80,
  settle: 10,
  question: 8,
  checkpoint: 70,
  writes: 90,
  'sub-checkpoint': 14,
  'parent-write': 3,
  delete: 3,
}
const RANDOM_PER_CYCLE = 3

/** Cycles through all windows, each time at another moment, with some kills at random (null) between. */
export function planKills(kills: number, random: () => number): readonly (Aim | null)[] {
  const cycle = WINDOWS.length + RANDOM_PER_CYCLE
  // Also a plan of one cycle comes to every moment of a window, from seed to seed.
  const first = Math.floor(random() * MOMENTS.length)
  return Array.from({ length: kills }, (_, kill) => {
    const window = WINDOWS[kill % cycle]
    if (window === undefined) return null
    const moment = MOMENTS[(first + (kill % cycle) + Math.floor(kill / cycle)) % MOMENTS.length] ?? 'before'
    return { moment, window, nth: 1 + Math.floor(random() * OPENINGS[window]) }
  })
}
