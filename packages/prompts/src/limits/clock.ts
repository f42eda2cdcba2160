/** Time as an option, so that backoff and deadlines can be tested without waiting. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once; disposing it calls it off. Only a timer with `keepAlive` keeps the process running. */
  setTimeout(callback: () => void, ms: number, options?: { readonly keepAlive?: boolean }): Disposable
}

/** Node fires a longer timer at once. */
const longest = 2 ** 31 - 1

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(callback, ms, { keepAlive = false } = {}) {
    let timer: NodeJS.Timeout
    const arm = (left: number) => {
      timer = setTimeout(() => (left > longest ? arm(left - longest) : callback()), Math.min(left, longest))
      if (!keepAlive) timer.unref()
    }
    arm(ms)
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  },
}

/** Rejects with the signal's reason when it aborts first. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const stop = () => {
      timer[Symbol.dispose]()
      reject(signal.reason)
    }
    const wake = () => {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const timer = clock.setTimeout(wake, ms, { keepAlive: true })
    signal.addEventListener('abort', stop, { once: true })
  })
}
