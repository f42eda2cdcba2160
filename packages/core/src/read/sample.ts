import type { Entry } from '../event-log.ts'
import { sleep } from '../sleep.ts'
import { createSampler, type SamplerOptions } from './sampler.ts'

export interface SampleOptions extends SamplerOptions {
  readonly clock?: Clock
}

/** The time, and a way to wait for it. */
export interface Clock {
  /** Milliseconds. */
  now(): number
  /** Resolves after so many milliseconds, or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * What a reader with this profile is shown of a log. Ends when the entries end, with nothing left behind. To stop early,
 * abort the signal that the entries are read with.
 */
export async function* sample(entries: AsyncIterable<Entry>, options: SampleOptions): AsyncGenerator<Entry> {
  const { clock = monotonicClock } = options
  const sampler = createSampler(options)
  const source = entries[Symbol.asyncIterator]()
  const alarm = createAlarm(clock)
  let next = source.next()
  try {
    for (;;) {
      const due = sampler.dueAt()
      const result = due === null ? await next : await Promise.race([next, alarm.at(due)])
      if (result === LATE) {
        yield* sampler.flush(clock.now())
        continue
      }
      if (result.done === true) break
      yield* sampler.push(result.value, clock.now())
      next = source.next()
    }
  } catch (error) {
    yield* sampler.flush(Infinity)
    throw error
  } finally {
    alarm.stop()
    // Not awaited: a generator that waits for its next entry answers only when it has one.
    next.then(() => source.return?.()).catch(() => undefined)
  }
  yield* sampler.flush(Infinity)
}

const LATE = Symbol('late')

interface Alarm {
  at(due: number): Promise<typeof LATE>
  stop(): void
}

/** One timer for all tokens of a window, instead of one for each. */
function createAlarm(clock: Clock): Alarm {
  let set: {
    readonly due: number
    readonly rings: Promise<typeof LATE>
    readonly off: AbortController
  } | null = null
  const stop = (): void => {
    set?.off.abort()
    set = null
  }
  return {
    at(due) {
      if (set?.due === due) return set.rings
      stop()
      const off = new AbortController()
      const rings = clock.sleep(Math.max(0, due - clock.now()), off.signal).then((): typeof LATE => {
        if (set?.off === off) set = null
        return LATE
      })
      set = { due, rings, off }
      return rings
    },
    stop,
  }
}

const monotonicClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, signal).catch(() => undefined),
}
