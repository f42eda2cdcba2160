import { setImmediate } from 'node:timers/promises'
import type { Entry, ReadOptions } from '@clewline/core'
import type { ParsedSegment } from './frames.ts'
import type { SegmentLog } from './segment-log.ts'
import type { LiveReader, Tail } from './tail.ts'

/** Segments that may wait for a reader; beyond them it reads from the store again, so that a slow one holds no memory. */
const QUEUE = 64

/** The contract of `EventLog.read`: history from the store, then live from memory, without a gap or a duplicate. */
export async function* readEntries(
  log: Pick<SegmentLog, 'tail' | 'page' | 'generation' | 'decoder'>,
  thread: string,
  options: ReadOptions = {},
): AsyncGenerator<readonly Entry[]> {
  const { follow = true, signal } = options
  let after = options.after ?? 0
  const generation = log.generation(thread)
  const decoder = log.decoder(thread)
  while (!signal?.aborted && log.generation(thread) === generation) {
    const tail = await log.tail(thread)
    if (after < tail.last) {
      for (const segment of await log.page(thread, after)) {
        const { entries } = await decoder.decode(segment, after)
        after = Math.max(after, segment.last)
        if (signal?.aborted) return
        if (entries.length > 0) yield entries
        await setImmediate()
      }
      continue
    }
    if (!follow) return
    const live = listen(tail, signal)
    try {
      for await (const { first, last, entries } of live.segments) {
        const fresh = first > after ? entries : entries.filter(({ position }) => position > after)
        after = Math.max(after, last)
        if (signal?.aborted) return
        if (fresh.length > 0) yield fresh
      }
    } finally {
      live.stop()
    }
    if (live.isOver()) return
  }
}

interface Live {
  readonly segments: AsyncIterable<ParsedSegment>
  stop(): void
  /** The thread was removed, or the log closed. */
  isOver(): boolean
}

/** Joins the tail in the same turn. Its segments end when the queue overflows, the signal aborts or the thread goes. */
function listen(tail: Tail, signal: AbortSignal | undefined): Live {
  const queue: ParsedSegment[] = []
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

  async function* segments(): AsyncGenerator<ParsedSegment> {
    while (!signal?.aborted && !isOver && queue.length < QUEUE) {
      const segment = queue.shift()
      if (segment !== undefined) yield segment
      else await new Promise<void>((resolve) => (wake = resolve))
    }
  }

  signal?.addEventListener('abort', onAbort, { once: true })
  tail.readers.add(reader)
  return {
    segments: segments(),
    stop() {
      tail.readers.delete(reader)
      signal?.removeEventListener('abort', onAbort)
    },
    isOver: () => isOver,
  }
}
