import type { SegmentStore } from '../store/store.ts'
import { catchUp } from './catch-up.ts'
import { type Channel, createChannel, type LiveReader } from './channel.ts'

/** The living ends of all threads that anyone reads or writes here. */
export interface Channels {
  open(thread: string): Promise<Channel>
  /** Joins if the reader has everything up to `position` and nothing is beyond it; otherwise false. */
  follow(thread: string, position: number, reader: LiveReader): boolean
  leave(thread: string, reader: LiveReader): void
  /** Shows what another process has appended to the thread; to any thread, without one. */
  grown(thread?: string): Promise<void>
  /** Ends the readers of a thread that was removed. */
  remove(thread: string): void
  /** How often the thread was removed: a reader that sees it change is at its end. */
  generation(thread: string): number
  readers(): number
  /** Forgets channels that nobody reads, when there are many. */
  tidy(): void
  close(): void
}

const KEPT = 1_000
/** Removed threads whose readers may not have noticed. */
const REMEMBERED = 10_000

export function createChannels(segments: SegmentStore): Channels {
  const channels = new Map<string, Channel>()
  const opening = new Map<string, Promise<Channel>>()
  const removals = new Map<string, number>()

  async function load(thread: string): Promise<Channel> {
    try {
      const channel = createChannel(await segments.last(thread))
      channels.set(thread, channel)
      return channel
    } finally {
      // Also when the store was away: whoever asks next looks again.
      opening.delete(thread)
    }
  }

  /** A channel without readers knows nothing that the store does not. */
  function forgetQuiet(): void {
    for (const [thread, channel] of channels) if (channel.readers.size === 0) channels.delete(thread)
  }

  const generation = (thread: string): number => removals.get(thread) ?? 0

  return {
    async open(thread) {
      const known = channels.get(thread) ?? opening.get(thread)
      if (known !== undefined) return known
      const loading = load(thread)
      opening.set(thread, loading)
      return loading
    },
    follow(thread, position, reader) {
      const channel = channels.get(thread)
      if (channel === undefined || channel.last !== position) return false
      channel.readers.add(reader)
      return true
    },
    leave(thread, reader) {
      channels.get(thread)?.readers.delete(reader)
    },
    async grown(thread) {
      for (const id of thread === undefined ? [...channels.keys()] : [thread]) {
        const channel = channels.get(id)
        if (channel !== undefined) await catchUp(segments, id, channel)
      }
    },
    remove(thread) {
      const channel = channels.get(thread)
      channels.delete(thread)
      removals.set(thread, generation(thread) + 1)
      // Whoever has read since before the one that is forgotten takes it for another removal, and comes again.
      const [oldest] = removals.size > REMEMBERED ? removals.keys() : []
      if (oldest !== undefined) removals.delete(oldest)
      for (const reader of channel?.readers ?? []) reader.end()
    },
    generation,
    readers: () => [...channels.values()].reduce((sum, channel) => sum + channel.readers.size, 0),
    tidy() {
      // In a turn of its own: whoever was just handed a channel has joined it by then.
      if (channels.size > KEPT) setImmediate(forgetQuiet)
    },
    close() {
      for (const channel of channels.values()) for (const reader of channel.readers) reader.end()
    },
  }
}
