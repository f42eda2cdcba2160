import { setImmediate } from 'node:timers/promises'
import type { LiveReader } from './channel.ts'
import { bytesAfter } from './frames.ts'
import type { Sink } from './pump.ts'
import type { SegmentLog } from './segment-log.ts'

/** A thread's log as one profile shows it, in bytes for the wire. */
export interface Feed {
  /** Writes what stands in the log after `after`; resolves with the position reached, when it is the end or the reader has gone. */
  history(thread: string, after: number, sink: Sink): Promise<number>
  /** Joins the living end if the reader is there; otherwise false. */
  follow(thread: string, position: number, reader: LiveReader): boolean
  leave(thread: string, reader: LiveReader): void
  /** Changes when the thread is removed. */
  generation(thread: string): number
}

/** Everything, as it stands: the log's own bytes, to any number of readers. */
export function wholeFeed(log: SegmentLog): Feed {
  return {
    async history(thread, after, sink) {
      // A position from a log that was longer, or from nowhere, is the end of this one.
      let position = Math.min(after, (await log.channel(thread)).last)
      while (!sink.isClosed()) {
        const { last } = await log.channel(thread)
        if (position >= last) break
        const segments = await log.page(thread, position)
        if (segments.length === 0) break
        for (const segment of segments) {
          const hasRoom = sink.write(bytesAfter(segment, position))
          position = segment.last
          if (!hasRoom && !(await sink.room())) return position
        }
        if (position < last) await setImmediate()
      }
      return position
    },
    follow: (thread, position, reader) => log.follow(thread, position, reader),
    leave: (thread, reader) => log.leave(thread, reader),
    generation: (thread) => log.generation(thread),
  }
}
