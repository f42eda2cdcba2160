import { setImmediate } from 'node:timers/promises'
import type { Entry, ReadOptions } from '@clewline/core'
import type { Segment } from '../store/store.ts'
import type { Channel, LiveReader, LiveSegment } from './channel.ts'
import { entriesOf } from './frames.ts'

/** Segments that may wait for a reader; beyond them it goes back to the store, so that a slow one holds no memory. */
const QUEUE = 64

interface Log {
  channel(thread: string): Promise<Channel>
  page(thread: string, after: number): Promise<readonly Segment[]>
  generation(thread: string): number
}

/** The contract of `EventLog.read`, an entry at a time. */
export async function* readEntries(
  log: Log,
  thread: string,
  options: ReadOptions = {},
): AsyncGenerator<Entry> {
  for await (const entries of readBatches(log, thread, options)) {
    for (const entry of entries) {
      if (options.signal?.aborted) return
      yield entry
    }
  }
}

/** History from the store, then live from memory, without a gap or a duplicate; an array for each segment, never empty. */
export async function* readBatches(
  log: Log,
  thread: string,
  options: ReadOptions = {},
): AsyncGenerator<readonly Entry[]> {
  const { follow = true, signal } = options
  let after = options.after ?? 0
  const generation = log.generation(thread)
  while (!signal?.aborted && log.generation(thread) === generation) {
    const channel = await log.channel(thread)
    if (after < channel.last) {
      for (const segment of await log.page(thread, after)) {
        const entries = entriesOf(segment, after)
        if (signal?.aborted) return
        if (entries.length > 0) yield entries
        after = Math.max(after, segment.last)
        await setImmediate()
      }
      continue
    }
    if (!follow) return
    const live = listen(channel, signal)
    try {
      for await (const segment of live.segments) {
        if (signal?.aborted) return
        const { first, entries } = segment
        const fresh = first > after ? entries : entries.slice(after + 1 - first)
        if (fresh.length > 0) yield fresh
        after = Math.max(after, segment.last)
      }
    } finally {
      live.stop()
    }
    if (live.isOver()) return
  }
}

interface Live {
  readonly segments: AsyncIterable<LiveSegment>
  stop(): void
  /** The thread was removed. */
  isOver(): boolean
}

/** Joins the channel in the same turn. Its segments end when the queue overflows, the signal aborts or the thread goes. */
function listen(channel: Channel, signal: AbortSignal | undefined): Live {
  const queue: LiveSegment[] = []
  let isOver = false
  let wake = (): void => {}
  const onAbort = (): void => wake()
  const reader: LiveReader = {
    next(segment) {
      queue.push(segment)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
  }

  async function* segments(): AsyncGenerator<LiveSegment> {
    while (!signal?.aborted && !isOver && queue.length < QUEUE) {
      const segment = queue.shift()
      if (segment !== undefined) yield segment
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  signal?.addEventListener('abort', onAbort, { once: true })
  channel.readers.add(reader)
  return {
    segments: segments(),
    stop() {
      channel.readers.delete(reader)
      signal?.removeEventListener('abort', onAbort)
    },
    isOver: () => isOver,
  }
}
