/**
 * The windows that a kill is aimed at: writes between which a process may die with something half done. `question` is the
 * write that saves an interrupt, `parent-write` the one by which a graph takes over what its sub-graph has saved.
 */
export const WINDOWS = [
  'accept',
  'claim',
  'begin',
  'log-commit',
  'settle',
  'question',
  'checkpoint',
  'writes',
  'sub-checkpoint',
  'parent-write',
  'delete',
] as const
export type Window = (typeof WINDOWS)[number]

/** Before the write is made, while it is under way, or when it is acknowledged and nobody has heard of it yet. */
export const MOMENTS = ['before', 'during', 'after'] as const
export type Moment = (typeof MOMENTS)[number]

/** Where a process dies: at a moment of the `nth` write into a window, counted from 1. */
export interface Aim {
  readonly moment: Moment
  readonly window: Window
  readonly nth: number
}

export function formatAim({ moment, window, nth }: Aim): string {
  return `${moment}:${window}:${nth}`
}

/** Null for the empty text: the process is not aimed at. */
export function parseAim(text: string): Aim | null {
  if (text === '') return null
  const [moment, window, nth] = text.split(':')
  const aim = {
    moment: MOMENTS.find((one) => one === moment),
    window: WINDOWS.find((one) => one === window),
    nth: Number(nth),
  }
  if (aim.moment === undefined || aim.window === undefined || !(aim.nth >= 1)) {
    throw new Error(`"${text}" is no aim: write it like "after:settle:2".`)
  }
  return { moment: aim.moment, window: aim.window, nth: aim.nth }
}
