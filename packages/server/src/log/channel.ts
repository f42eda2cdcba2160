import type { Entry } from '@clewline/core'
import type { Segment } from '../store/store.ts'

/** A flushed batch on its way to live readers: the bytes of the log, and the entries for those who want objects. */
export interface LiveSegment extends Segment {
  readonly entries: readonly Entry[]
}

export interface LiveReader {
  /** Called with each segment after its commit, in order, without a gap. Must not throw. */
  next(segment: LiveSegment): void
  /** The thread was removed. */
  end(): void
}

/** The living end of one thread's log. */
export interface Channel {
  /** Position of the newest envelope that readers may see. */
  last: number
  readonly readers: Set<LiveReader>
}

export function createChannel(last: number): Channel {
  return { last, readers: new Set() }
}

export function publish(channel: Channel, segment: LiveSegment): void {
  channel.last = segment.last
  for (const reader of channel.readers) reader.next(segment)
}
