import type { Envelope } from './envelope.ts'
import type { Entry, EventLog, ReadOptions } from './event-log.ts'

interface Thread {
  readonly entries: Entry[]
  readonly wake: Set<() => void>
  isRemoved: boolean
}

/** A log that lives as long as the process. For tests, for one-off runs, and as the reference for other logs. */
export function memoryLog(): EventLog {
  const threads = new Map<string, Thread>()

  function threadOf(id: string): Thread {
    let thread = threads.get(id)
    if (thread === undefined) {
      thread = { entries: [], wake: new Set(), isRemoved: false }
      threads.set(id, thread)
    }
    return thread
  }

  function wakeAll(thread: Thread): void {
    for (const wake of thread.wake) wake()
  }

  async function* read(id: string, options: ReadOptions = {}): AsyncGenerator<readonly Entry[]> {
    const { after = 0, follow = true, signal } = options
    const thread = follow ? threadOf(id) : threads.get(id)
    if (thread === undefined) return
    let next = after
    while (!signal?.aborted && !thread.isRemoved) {
      if (next < thread.entries.length) {
        const batch = thread.entries.slice(next)
        next += batch.length
        yield batch
      } else if (follow) {
        await change(thread, signal)
      } else {
        return
      }
    }
  }

  return {
    append(id, envelopes: readonly Envelope[]) {
      const thread = threadOf(id)
      for (const envelope of envelopes) thread.entries.push({ position: thread.entries.length + 1, envelope })
      wakeAll(thread)
      return Promise.resolve(thread.entries.length)
    },
    read,
    last: (id) => Promise.resolve(threads.get(id)?.entries.length ?? 0),
    remove(id) {
      const thread = threads.get(id)
      threads.delete(id)
      if (thread !== undefined) {
        thread.isRemoved = true
        wakeAll(thread)
      }
      return Promise.resolve()
    },
  }
}

/** Resolves at the next append or remove, or when the signal aborts. */
function change(thread: Thread, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      thread.wake.delete(done)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    thread.wake.add(done)
    signal?.addEventListener('abort', done, { once: true })
  })
}
