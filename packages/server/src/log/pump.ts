import { setImmediate } from 'node:timers/promises'
import type { Feed } from './feed.ts'
import type { ParsedSegment } from './frames.ts'
import type { LiveReader } from './tail.ts'

/** Where a reader's bytes go: a Node response, or a web stream. */
export interface Sink {
  /** False when the high-water mark is reached: wait for `room`. */
  write(bytes: Uint8Array): boolean
  /** Resolves with true when there is room again; with false when the sink has closed, or the reader has stalled for too long. */
  room(): Promise<boolean>
  isClosed(): boolean
  /** Called once when the reader goes. */
  onClose(listener: () => void): void
  end(): void
}

export interface PumpOptions {
  readonly after: number
  /** False: end with what is there. */
  readonly follow: boolean
}

/**
 * Brings one reader from where it is to the tail of a thread, and keeps it there. Backpressure: a reader that falls
 * behind leaves the tail and reads from the store again, at its own pace, so that it costs no memory.
 */
export async function pump(feed: Feed, thread: string, options: PumpOptions, sink: Sink): Promise<void> {
  const generation = feed.generation(thread)
  let position = options.after
  const live: Live = { leave: () => {} }
  // Once: a reader that falls behind again and again joins as often.
  sink.onClose(() => live.leave('over'))
  while (!sink.isClosed() && feed.generation(thread) === generation) {
    position = await feed.history(thread, position, sink)
    if (sink.isClosed()) return
    if (!options.follow) break
    const leaving = follow(feed, thread, position, sink, live)
    if (leaving === null) {
      await setImmediate()
      continue
    }
    const left = await leaving
    if (left.why === 'over') break
    position = left.position
    if (!(await sink.room())) break
  }
  sink.end()
}

/** How the reader leaves the live feed that it is in. */
interface Live {
  leave: (why: Left['why']) => void
}

interface Left {
  readonly why: 'over' | 'slow'
  readonly position: number
}

/** Null when the store has more than the reader: it must read that first. */
function follow(feed: Feed, thread: string, start: number, sink: Sink, live: Live): Promise<Left> | null {
  let position = start
  const reader: LiveReader = {
    next(segment: ParsedSegment) {
      position = segment.last
      if (!sink.write(segment.bytes)) live.leave('slow')
    },
    end: () => live.leave('over'),
  }
  if (!feed.follow(thread, start, reader)) return null
  return new Promise((resolve) => {
    live.leave = (why) => {
      feed.leave(thread, reader)
      resolve({ why, position })
    }
  })
}
