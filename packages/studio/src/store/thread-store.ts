import { createIntake, type Intake, type IntakeCount } from '@clewline/client'
import type { Entry } from '@clewline/core'
import { createTimeline, EMPTY_VIEW, type Timeline, type View } from '@clewline/core/view'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Connection } from '../connection/connection.ts'

/** What came of a thread so far, proved by `seq`. */
interface Received extends IntakeCount {
  /** Lines that were no envelopes, newest last, at most twenty kept. */
  readonly problems: readonly string[]
  readonly problemCount: number
}

/** Everything that a page about one thread shows. `view` is always `timeline.at(cursor ?? length)`. */
export interface ThreadState {
  readonly timeline: Timeline
  readonly length: number
  /** How many entries are shown; null follows the newest. */
  readonly cursor: number | null
  readonly view: View
  readonly connection: Connection
  readonly intake: Received
  /** True once what was there at the start has come. */
  readonly isLoaded: boolean
}

/** One thread under watch: what has come of it, and the moment that is shown. */
export interface ThreadStore extends StoreApi<ThreadState> {
  /** Takes entries as they come: drops duplicates and counts gaps. */
  readonly add: (entries: readonly Entry[]) => void
  /** Takes entries that have been through `intake`. */
  readonly append: (entries: readonly Entry[]) => void
  /** Dedupe state: it lasts as long as the store, over any number of connections. */
  readonly intake: Intake
  /** Counts a line that is no envelope. */
  readonly problem: (message: string) => void
  readonly connect: (connection: Connection) => void
  readonly loaded: () => void
  /** Shows the view after the first `n` entries; null goes back to live. */
  readonly seek: (n: number | null) => void
  /** Puts out at once what waits for the next frame. */
  readonly flush: () => void
}

export interface ThreadStoreOptions {
  /** Calls back after `wait` ms, before a frame; the default ends with `requestAnimationFrame`. */
  readonly schedule?: (callback: () => void, wait: number) => void
}

// Tokens come in pieces of 50 ms: drawing more often than that would cost frames and show nothing new.
const WHILE_LIVE = 48
// While a history pours in, drawing each part of it would take longer than reading it.
const WHILE_LOADING = 400

/** One thread under watch. Entries are folded as they come; subscribers are notified a few times a second (throttled), of a seek at once. */
export function createThreadStore(options: ThreadStoreOptions = {}): ThreadStore {
  const schedule = options.schedule ?? nextFrame
  const intake = createIntake()
  const timeline = createTimeline()
  let problems: readonly string[] = []
  let problemCount = 0
  let scheduled: { isUrgent: boolean } | null = null
  let pending: Partial<ThreadState> = {}
  let flushedAt = 0
  /** How long the page was busy with the last drawings, in ms. */
  let cost = 0

  const store = createStore<ThreadState>(() => ({
    timeline,
    length: 0,
    cursor: null,
    view: EMPTY_VIEW,
    connection: { type: 'connecting' },
    intake: received(),
    isLoaded: false,
  }))

  function received(): Received {
    return { ...intake.count(), problems, problemCount }
  }

  function flush(): void {
    scheduled = null
    flushedAt = performance.now()
    const { cursor } = { ...store.getState(), ...pending }
    store.setState({
      ...pending,
      length: timeline.length,
      intake: received(),
      view: cursor === null ? timeline.latest() : timeline.at(cursor),
    })
    pending = {}
    const began = flushedAt
    schedule(() => {
      cost = (cost + performance.now() - began) / 2
    }, 0)
  }

  function soon(change: Partial<ThreadState>, isUrgent: boolean): void {
    pending = { ...pending, ...change }
    if (scheduled !== null && (scheduled.isUrgent || !isUrgent)) return
    const mine = { isUrgent }
    scheduled = mine
    const pause = store.getState().isLoaded ? WHILE_LIVE : WHILE_LOADING
    // On a slow machine drawing takes a third of the time at most: the rest is for scrolling.
    const wait = isUrgent ? 0 : Math.max(0, flushedAt + Math.max(pause, cost * 3) - performance.now())
    schedule(() => {
      if (scheduled === mine) flush()
    }, wait)
  }

  function append(entries: readonly Entry[]): void {
    for (const entry of entries) timeline.add(entry)
    soon({}, false)
  }

  return {
    ...store,
    add: (entries) => append(intake.take(entries)),
    append,
    intake,
    problem(message) {
      problems = [...problems, message].slice(-20)
      problemCount += 1
      soon({}, false)
    },
    connect: (connection) => soon({ connection }, true),
    loaded: () => soon({ isLoaded: true }, true),
    seek(n) {
      const cursor = n === null || n >= timeline.length ? null : Math.max(0, Math.trunc(n))
      soon({ cursor }, true)
    },
    flush,
  }
}

/** Frames stop in a hidden tab, where a finished run must still be noticed: there a timer does. */
function nextFrame(callback: () => void, wait: number): void {
  if (typeof document === 'undefined' || document.visibilityState === 'hidden')
    setTimeout(callback, Math.max(wait, 100))
  else if (wait > 8) setTimeout(() => nextFrame(callback, 0), wait)
  else requestAnimationFrame(callback)
}
