import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'

/** Whether this process has as much to do as it can bear. */
export interface Pressure {
  isHigh(): boolean
  stop(): void
}

export interface PressureOptions {
  /** How late timers may be on average, in ms. */
  readonly maxDelayMs?: number
  /** The part of the heap, and of the machine's or the container's memory, that may be in use. */
  readonly maxMemory?: number
}

const STEP_MS = 100
/** The weight of the newest step in the average. */
const NEWEST = 0.3

/** Watches the delay of the event loop and the memory. */
export function createPressure({ maxDelayMs = 200, maxMemory = 0.9 }: PressureOptions = {}): Pressure {
  const memory = memoryLimit()
  let expected = performance.now() + STEP_MS
  let delay = 0
  let isFull = false
  const timer = setInterval(() => {
    const now = performance.now()
    delay += NEWEST * (Math.max(0, now - expected) - delay)
    expected = now + STEP_MS
    const { used_heap_size, heap_size_limit } = getHeapStatistics()
    isFull = used_heap_size > heap_size_limit * maxMemory || process.memoryUsage.rss() > memory * maxMemory
  }, STEP_MS)
  timer.unref()
  return {
    isHigh: () => isFull || delay > maxDelayMs,
    stop: () => clearInterval(timer),
  }
}

/** That of the container, if there is one. */
function memoryLimit(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}
