import { setImmediate } from 'node:timers/promises'
import type { Entry } from '@clewline/core'
import { createSampler, GROUP, type Profile, type Sampler, withoutInputs } from '@clewline/core/read'
import { bytesAfter, segmentOf } from './frames.ts'
import type { Sink } from './pump.ts'
import type { SegmentLog } from './segment-log.ts'
import type { LiveReader } from './tail.ts'

/** A thread's log as one profile shows it, in bytes for the wire. */
export interface Feed {
  /** Writes what is in the log after `after`; resolves with the position reached, at the end or when the sink has closed. */
  history(thread: string, after: number, sink: Sink): Promise<number>
  /** Joins the tail if the reader is there; otherwise false. */
  follow(thread: string, position: number, reader: LiveReader): boolean
  leave(thread: string, reader: LiveReader): void
  /** Changes when the thread is removed. */
  generation(thread: string): number
}

export interface FeedOptions {
  readonly profile: Profile
  /** How long the tokens of a call are gathered, in ms. */
  readonly windowMs?: number
  /** Profile `user` with what models were asked and what came back raw. Default false. */
  readonly inputs?: boolean
}

/** One feed serves any number of readers: what it writes is made once per thread, not once per reader. */
export function feedOf(log: SegmentLog, options: FeedOptions): Feed {
  return options.profile === 'debug' ? wholeFeed(log) : sampledFeed(log, options)
}

/** Everything: the log's own bytes. */
function wholeFeed(log: SegmentLog): Feed {
  return {
    history: (thread, after, sink) => writeHistory(log, thread, after, sink, bytesAfter),
    follow: (thread, position, reader) => log.follow(thread, position, reader),
    leave: (thread, reader) => log.leave(thread, reader),
    generation: (thread) => log.generation(thread),
  }
}

interface Live {
  readonly sampler: Sampler
  readonly readers: Set<LiveReader>
  readonly upstream: LiveReader
  /** What the sampler has been given. */
  last: number
  timer: NodeJS.Timeout | null
}

/** Sampled once per thread and serialised once. */
function sampledFeed(log: SegmentLog, options: FeedOptions): Feed {
  const threads = new Map<string, Live>()
  const shown = ({ position, envelope }: Entry): Entry => ({
    position,
    envelope: options.inputs ? envelope : withoutInputs(envelope),
  })
  // Made once here so that a window that is not possible is refused now, not at the first reader.
  createSampler(options)

  function put({ readers }: Live, entries: readonly Entry[]): void {
    if (entries.length === 0) return
    const segment = segmentOf(entries, 0)
    for (const reader of readers) reader.next(segment)
  }

  function arm(live: Live): void {
    if (live.timer !== null) return
    const due = live.sampler.dueAt()
    if (due === null) return
    live.timer = setTimeout(
      () => {
        live.timer = null
        put(live, live.sampler.flush(performance.now()))
        arm(live)
      },
      Math.max(0, due - performance.now()),
    )
  }

  function open(thread: string, position: number): Live | null {
    const live: Live = {
      sampler: createSampler(options),
      readers: new Set(),
      upstream: {
        next(segment) {
          live.last = segment.last
          const now = performance.now()
          put(
            live,
            segment.entries.flatMap((entry) => live.sampler.push(shown(entry), now)),
          )
          arm(live)
        },
        end() {
          close(thread, live)
          put(live, live.sampler.flush(Infinity))
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
      // A reader that comes back gets `GROUP` positions one by one, so that it recognises by `seq` what it has seen.
      const sampler = createSampler({ ...options, unjoined: after > 0 ? GROUP : 0 })
      const decoder = log.decoder(thread, options.inputs ? {} : { project: withoutInputs })
      const position = await writeHistory(log, thread, after, sink, async (segment, from) => {
        // Parsing is work: others get their turn between rows, and the reader what it has so far.
        await setImmediate()
        // History is sampled by its own clock, so that it reads as it did live.
        const push = (entry: Entry) => sampler.push(entry, entry.envelope.ts * 1000)
        const { entries } = await decoder.decode(segment, from)
        return segmentOf(entries.flatMap(push), 0).bytes
      })
      sink.write(segmentOf(sampler.flush(Infinity), 0).bytes)
      return position
    },
    follow(thread, position, reader) {
      const live = threads.get(thread) ?? open(thread, position)
      if (live === null || live.last !== position) return false
      // A new reader must not get the second half of a joined envelope: what is pending goes out first.
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

type BytesOf = typeof bytesAfter | ((...of: Parameters<typeof bytesAfter>) => Promise<Uint8Array>)

/** Page by page from the store, as fast as the sink takes it. */
async function writeHistory(
  log: SegmentLog,
  thread: string,
  after: number,
  sink: Sink,
  bytesOf: BytesOf,
): Promise<number> {
  // A reader that comes from another process, or has read pages from the store, may be ahead of the tail here.
  if (after > (await log.tail(thread)).last) await log.refresh(thread)
  // A position from a log that was longer, or from nowhere, is the end of this one.
  let position = Math.min(after, (await log.tail(thread)).last)
  while (!sink.isClosed()) {
    const { last } = await log.tail(thread)
    if (position >= last) break
    const segments = await log.page(thread, position)
    if (segments.length === 0) break
    for (const segment of segments) {
      const bytes = await bytesOf(segment, position)
      position = segment.last
      if (!sink.write(bytes) && !(await sink.room())) return position
    }
    if (position < last) await setImmediate()
  }
  return position
}
