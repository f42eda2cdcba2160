import { setImmediate } from 'node:timers/promises'
import { createSampler, type Sampler } from '@clewline/core/read'
import { type Entry } from '@clewline/core'
import type { LiveReader, LiveSegment } from './channel.ts'
import type { Feed } from './feed.ts'
import { entriesOf, segmentOf } from './frames.ts'
import type { SegmentLog } from './segment-log.ts'

/** A reader that comes back gets so many positions one by one, so that it recognises what it has seen (the sampler's groups are no longer). */
const UNJOINED = 512

interface Live {
  readonly sampler: Sampler
  readonly readers: Set<LiveReader>
  readonly upstream: LiveReader
  /** What the sampler has been given. */
  last: number
  timer: NodeJS.Timeout | null
}

/** The log as people read it: sampled once per thread and serialised once, however many readers there are. */
export function sampledFeed(log: SegmentLog): Feed {
  const threads = new Map<string, Live>()

  function put(live: Live, entries: readonly Entry[]): void {
    if (entries.length === 0) return
    const segment: LiveSegment = { ...segmentOf(entries, 0), entries }
    for (const reader of live.readers) reader.next(segment)
  }

  function arm(live: Live): void {
    if (live.timer !== null) return
    const due = live.sampler.dueAt()
    if (due === null) return
    live.timer = setTimeout(
      () => {
        live.timer = null
        put(live, live.sampler.flush(Date.now()))
        arm(live)
      },
      Math.max(0, due - Date.now()),
    )
  }

  function open(thread: string, position: number): Live | null {
    const live: Live = {
      sampler: createSampler({ profile: 'user' }),
      readers: new Set(),
      upstream: {
        next(segment) {
          live.last = segment.last
          const now = Date.now()
          const out: Entry[] = []
          for (const entry of segment.entries) out.push(...live.sampler.push(entry, now))
          put(live, out)
          arm(live)
        },
        end() {
          close(thread, live)
          for (const reader of live.readers) reader.end()
        },
      },
      last: position,
      timer: null,
    }
    if (!log.follow(thread, position, live.upstream)) return null
    threads.set(thread, live)
    return live
  }

  function close(thread: string, live: Live): void {
    if (live.timer !== null) clearTimeout(live.timer)
    log.leave(thread, live.upstream)
    threads.delete(thread)
  }

  return {
    async history(thread, after, sink) {
      const sampler = createSampler({ profile: 'user', unjoined: after > 0 ? UNJOINED : 0 })
      // A position from a log that was longer, or from nowhere, is the end of this one.
      let position = Math.min(after, (await log.channel(thread)).last)
      let isGone = false
      const write = (entries: readonly Entry[]): boolean =>
        entries.length === 0 || sink.write(segmentOf(entries, 0).bytes)
      while (!isGone && !sink.isClosed()) {
        const { last } = await log.channel(thread)
        if (position >= last) break
        const segments = await log.page(thread, position)
        if (segments.length === 0) break
        for (const segment of segments) {
          const out: Entry[] = []
          // History is sampled by its own clock, so that it reads as it did live.
          for (const entry of entriesOf(segment, position)) {
            out.push(...sampler.push(entry, entry.envelope.ts * 1000))
          }
          position = segment.last
          isGone = !write(out) && !(await sink.room())
          if (isGone) break
          // Parsing is work: others get their turn between rows, and the reader what it has so far.
          await setImmediate()
        }
      }
      write(sampler.flush(Infinity))
      return position
    },
    follow(thread, position, reader) {
      const live = threads.get(thread) ?? open(thread, position)
      if (live === null || live.last !== position) return false
      // Whoever joins must not get the second half of a joined envelope: what is pending goes out first.
      put(live, live.sampler.flush(Infinity))
      live.readers.add(reader)
      return true
    },
    leave(thread, reader) {
      const live = threads.get(thread)
      live?.readers.delete(reader)
      if (live?.readers.size === 0) close(thread, live)
    },
    generation: (thread) => log.generation(thread),
  }
}
