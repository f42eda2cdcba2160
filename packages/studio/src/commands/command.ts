/** Where a command stands in the list, in this order. */
export const COMMAND_GROUPS = [
  'This thread',
  'Replay',
  'Go to',
  'Appearance',
  'New thread',
  'Threads',
] as const

/** Something that a page offers to do. */
export interface Command {
  readonly id: string
  readonly title: string
  readonly group: (typeof COMMAND_GROUPS)[number]
  /** The key (`KeyboardEvent.key`) that does it while nobody writes. */
  readonly key?: string
  readonly run: () => void
}
