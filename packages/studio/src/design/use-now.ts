import { useCallback, useSyncExternalStore } from 'react'

/** The time in milliseconds, renewed every `every` ms; null stops the clock. Who asks for one pace ticks together. */
export function useNow(every: number | null): number {
  const subscribe = useCallback(
    (tick: () => void) => (every === null ? () => undefined : clockOf(every).subscribe(tick)),
    [every],
  )
  return useSyncExternalStore(subscribe, () => (every === null ? frozen : clockOf(every).now()))
}

interface Clock {
  now(): number
  subscribe(tick: () => void): () => void
}

const frozen = Date.now()
const clocks = new Map<number, Clock>()

function clockOf(every: number): Clock {
  const known = clocks.get(every)
  if (known !== undefined) return known
  const ticks = new Set<() => void>()
  let now = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const clock: Clock = {
    now: () => now,
    subscribe(tick) {
      ticks.add(tick)
      if (timer === undefined) {
        now = Date.now()
        timer = setInterval(() => {
          now = Date.now()
          for (const each of ticks) each()
        }, every)
      }
      return () => {
        ticks.delete(tick)
        if (ticks.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
  clocks.set(every, clock)
  return clock
}
