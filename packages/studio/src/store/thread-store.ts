import type { Entry } from '@skein/core'
import { createTimeline, EMPTY_VIEW, type Timeline, type View } from '@skein/core/view'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { ConnectionStatus } from '../connection/keep-reading.ts'
import { createIntake, NOTHING_TAKEN, type IntakeCount } from './intake.ts'

export type Connection = ConnectionStatus | { readonly is: 'file'; readonly name: string }

/** Everything that a page about one thread shows. `view` is always `timeline.at(cursor ?? length)`. */
export interface ThreadState {
  readonly timeline: Timeline
  readonly length: number
  /** How many entries are shown; null follows the newest. */
  readonly cursor: number | null
  readonly view: View
  readonly connection: Connection
  readonly intake: IntakeCount
  /** True once what was there at the start has come. */
  readonly isLoaded: boolean
}

export interface ThreadStore extends StoreApi<ThreadState> {
  readonly add: (entries: readonly Entry[]) => void
  readonly problem: (message: string) => void
  readonly connect: (connection: Connection) => void
  readonly loaded: () => void
  /** Shows the view after the first `n` entries; null goes back to live. */
  readonly seek: (n: number | null) => void
  /** Puts out at once what waits for the next frame. */
  readonly flush: () => void
}

export interface ThreadStoreOptions {
  /** Calls back before the next frame; the default is `requestAnimationFrame`, with a timer for hidden pages. */
  readonly schedule?: (callback: () => void) => void
}

/** One thread under watch. Entries are folded as they come; the screen is told at most once a frame. */
export function createThreadStore(options: ThreadStoreOptions = {}): ThreadStore {
  const schedule = options.schedule ?? nextFrame
  const intake = createIntake()
  const timeline = createTimeline()
  let isScheduled = false
  let pending: Partial<ThreadState> = {}

  const store = createStore<ThreadState>(() => ({
    timeline,
    length: 0,
    cursor: null,
    view: EMPTY_VIEW,
    connection: { is: 'connecting' },
    intake: NOTHING_TAKEN,
    isLoaded: false,
  }))

  function flush(): void {
    isScheduled = false
    const { cursor } = { ...store.getState(), ...pending }
    store.setState({
      ...pending,
      length: timeline.length,
      intake: intake.count(),
      view: cursor === null ? timeline.latest() : timeline.at(cursor),
    })
    pending = {}
  }

  function soon(change: Partial<ThreadState> = {}): void {
    pending = { ...pending, ...change }
    if (isScheduled) return
    isScheduled = true
    schedule(() => {
      if (isScheduled) flush()
    })
  }

  return {
    ...store,
    add(entries) {
      for (const entry of intake.take(entries)) timeline.add(entry)
      soon()
    },
    problem(message) {
      intake.problem(message)
      soon()
    },
    connect: (connection) => soon({ connection }),
    loaded: () => soon({ isLoaded: true }),
    seek(n) {
      const cursor = n === null || n >= timeline.length ? null : Math.max(0, Math.trunc(n))
      soon({ cursor })
    },
    flush,
  }
}

/** Frames stop in a hidden tab, where a finished run must still be noticed: there a timer takes over. */
function nextFrame(callback: () => void): void {
  if (typeof document === 'undefined' || document.visibilityState === 'hidden') setTimeout(callback, 100)
  else requestAnimationFrame(callback)
}
