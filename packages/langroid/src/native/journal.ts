import type { Json } from '@clewline/core'
import { z } from 'zod'

/**
 * Durable execution: what a run must not do twice. A task is deterministic between the things that happen to it, so
 * replaying its journal brings it to where it was.
 */
export interface Journal {
  /** True while the next thing has happened already. */
  readonly isPast: boolean
  /** What happened; or lets it happen, and records it. Throws `JournalMismatch` when something else happened then. */
  once(what: string, happen: () => Promise<Json>): Promise<Json>
}

/** Remembers nothing: for runs that live and die with their process. */
export const noJournal: Journal = { isPast: false, once: async (_what, happen) => await happen() }

/** The task is not the one that wrote the journal: its code has changed in between. */
export class JournalMismatch extends Error {}

const Entry = z.object({ what: z.string(), value: z.json() })

/** A journal that goes on from `past`. `onLive` comes before the first new thing, so that readers know what is news. */
export function createJournal(options: {
  readonly past: readonly Json[]
  readonly onLive: () => void | Promise<void>
  readonly record: (entry: Json) => void | Promise<void>
}): Journal & { readonly isLive: boolean; goLive(): Promise<void> } {
  const { past } = options
  let at = 0
  let isLive = past.length === 0

  async function goLive(): Promise<void> {
    if (isLive) return
    isLive = true
    await options.onLive()
  }

  return {
    get isPast() {
      return at < past.length
    },
    get isLive() {
      return isLive
    },
    goLive,
    async once(what, happen) {
      if (at < past.length) {
        const entry = Entry.safeParse(past[at++]).data
        if (entry?.what === what) return entry.value
        throw new JournalMismatch(`The journal has "${entry?.what}" where the task has "${what}".`)
      }
      await goLive()
      const happened = await happen()
      await options.record({ what, value: happened })
      return happened
    },
  }
}
