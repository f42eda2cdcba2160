import { type Entry, type Envelope, type EventLog } from '@skein/core'
import type { Append, Fence, Segments, Settlement } from '../store/store.ts'
import { type Batch, createBatch, fencedOff } from './batch.ts'
import { catchUp } from './catch-up.ts'
import { type Channel, createChannel, type LiveReader, type LiveSegment, publish } from './channel.ts'
import { envelopeEncoder } from './encode-envelope.ts'
import { segmentOf } from './frames.ts'
import { readEntries } from './read-entries.ts'

/** The durable log: batches what is appended, commits, and only then feeds those who follow. */
export interface SegmentLog extends EventLog {
  /** Opens a thread for appending by one run. */
  writer(thread: string, fence?: Fence): LogWriter
  /** The living end of a thread, for who follows it. */
  channel(thread: string): Promise<Channel>
  /** Joins if the reader has everything up to `position` and nothing is beyond it; otherwise false. */
  follow(thread: string, position: number, reader: LiveReader): boolean
  leave(thread: string, reader: LiveReader): void
  /** How often the thread was removed: a reader that sees it change is at its end. */
  generation(thread: string): number
  /** Another process has appended to the thread (to any thread, without one): shows it to those who follow it here. */
  grown(thread?: string): Promise<void>
  /** Whatever stands in the log after `after`, about a page of it. */
  page(thread: string, after: number): ReturnType<Segments['read']>
  readers(): number
  close(): Promise<void>
}

export interface LogWriter {
  /** Takes envelopes; a promise when there is no more room, which resolves when there is. Throws once fenced off. */
  push(envelopes: readonly Envelope[]): void | Promise<void>
  /** Everything pushed is durable and shown; with a settlement, the run has ended in the same transaction. */
  flush(settle?: Settlement): Promise<number>
}

export interface SegmentLogOptions {
  /** How long a batch may wait for company. The first one after a pause does not wait. Default 4. */
  readonly lingerMs?: number
  /** A batch of so many envelopes is flushed at once, and who pushes more waits. Default 256. */
  readonly batch?: number
  readonly onAppend?: (envelopes: number, bytes: number, seconds: number) => void
}

interface Built {
  readonly appends: readonly Append[]
  readonly live: readonly LiveSegment[]
}

const PAGE_BYTES = 256 * 1024
/** A model that never waits gives everyone else a turn of the event loop so often. */
const TURN_MS = 1
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
/** Envelopes in a row at most. */
const ROW = 512
const KEPT_CHANNELS = 1_000

export function segmentLog(segments: Segments, options: SegmentLogOptions = {}): SegmentLog {
  const { lingerMs = 4, batch: batchSize = 256, onAppend } = options
  const channels = new Map<string, Channel>()
  const opening = new Map<string, Promise<Channel>>()
  const removals = new Map<string, number>()
  const encode = envelopeEncoder()
  let pending: Batch[] = []
  let isFlushing = false
  let timer: NodeJS.Timeout | NodeJS.Immediate | null = null
  let flushedAt = 0
  let yieldedAt = 0

  async function channelOf(thread: string): Promise<Channel> {
    const known = channels.get(thread)
    if (known !== undefined) return known
    let open = opening.get(thread)
    if (open === undefined) {
      open = segments.last(thread).then((last) => {
        const channel = createChannel(last)
        channels.set(thread, channel)
        opening.delete(thread)
        return channel
      })
      opening.set(thread, open)
    }
    return open
  }

  function batchFor(thread: string, fence: Fence | undefined): Batch {
    const open = pending.findLast((batch) => batch.thread === thread)
    if (open !== undefined && open.fence === fence && open.settle === undefined) return open
    const batch = createBatch(thread, fence)
    pending.push(batch)
    return batch
  }

  function schedule(isUrgent: boolean): void {
    if (isFlushing) return
    if (isUrgent) {
      cancelTimer()
      void flush()
    } else if (timer === null) {
      const wait = flushedAt + lingerMs - performance.now()
      timer = wait <= 0 ? setImmediate(onTimer) : setTimeout(onTimer, wait)
    }
  }

  function onTimer(): void {
    timer = null
    void flush()
  }

  function cancelTimer(): void {
    if (timer === null) return
    clearTimeout(timer as NodeJS.Timeout)
    clearImmediate(timer as NodeJS.Immediate)
    timer = null
  }

  /** Commits everything that is pending, one transaction per turn, until nothing is. */
  async function flush(): Promise<void> {
    if (isFlushing) return
    isFlushing = true
    while (pending.length > 0) {
      // Two batches of one thread do not share a transaction: the second's positions depend on the first's fate.
      const seen = new Set<string>()
      const now = pending.filter((batch) => !seen.has(batch.thread) && seen.add(batch.thread))
      pending = pending.filter((batch) => !now.includes(batch))
      await commit(now)
    }
    flushedAt = performance.now()
    isFlushing = false
    // In a turn of its own: whoever was just handed a channel has joined it by then.
    if (channels.size > KEPT_CHANNELS) setImmediate(forgetQuiet)
  }

  /** A channel without readers knows nothing that the store does not. */
  function forgetQuiet(): void {
    for (const [thread, channel] of channels) if (channel.readers.size === 0) channels.delete(thread)
  }

  async function commit(batches: readonly Batch[]): Promise<void> {
    try {
      const opened = await Promise.all(batches.map((batch) => channelOf(batch.thread)))
      const started = performance.now()
      const built = batches.map((batch, i) => build(batch, opened[i]!))
      const accepted = await segments.append(built.flatMap(({ appends }) => appends))
      const seconds = (performance.now() - started) / 1000
      let row = 0
      for (const [i, batch] of batches.entries()) {
        const { live } = built[i]!
        const channel = opened[i]!
        const isAccepted = accepted[row] === true
        row += live.length
        if (!isAccepted) {
          await catchUp(segments, batch.thread, channel)
          batch.reject(fencedOff(batch))
          continue
        }
        for (const segment of live) {
          // Unless a look for what others appended has shown it already.
          if (segment.entries.length > 0 && segment.first === channel.last + 1) publish(channel, segment)
          onAppend?.(segment.entries.length, segment.bytes.length, seconds)
        }
        batch.resolve(channel.last)
      }
    } catch (error) {
      for (const batch of batches) batch.reject(error)
    }
  }

  /** One row for a batch; several for one so large that reading its tail would cost. They stand or fall together. */
  function build(batch: Batch, channel: Channel): Built {
    const entries = batch.envelopes.map((envelope, i): Entry => ({
      position: channel.last + 1 + i,
      envelope,
    }))
    const common = {
      thread_id: batch.thread,
      ...(batch.fence === undefined ? {} : { fence: batch.fence }),
    }
    const live: LiveSegment[] = []
    for (let from = 0; from < entries.length || from === 0; from += ROW) {
      const part = entries.slice(from, from + ROW)
      live.push({ ...segmentOf(part, channel.last + 1 + from, encode), entries: part })
    }
    const appends = live.map(({ first, last, bytes }): Append => ({ ...common, first, last, bytes }))
    if (batch.settle !== undefined) appends.push({ ...appends.pop()!, settle: batch.settle })
    return { appends, live }
  }

  function writer(thread: string, fence?: Fence): LogWriter {
    let failure: unknown = null
    const note = (batch: Batch): Promise<number> => {
      batch.done.catch((error: unknown) => (failure ??= error))
      return batch.done
    }
    return {
      push(envelopes) {
        if (failure !== null) throw failure
        const batch = batchFor(thread, fence)
        if (batch.envelopes.length === 0) void note(batch)
        for (const envelope of envelopes) batch.envelopes.push(envelope)
        const now = performance.now()
        // A batch that has waited too long is a sign that its timer does not get its turn.
        if (batch.envelopes.length >= batchSize || now - batch.since > lingerMs) {
          schedule(true)
          yieldedAt = now
          return batch.done.then(turn)
        }
        schedule(false)
        if (now - Math.max(batch.since, yieldedAt) < TURN_MS) return
        yieldedAt = now
        return turn()
      },
      flush(settle) {
        if (failure !== null) return Promise.reject(failure)
        const open = pending.findLast((batch) => batch.thread === thread)
        if (open === undefined && settle === undefined && !isFlushing) {
          return channelOf(thread).then((channel) => channel.last)
        }
        const batch = batchFor(thread, fence)
        batch.settle = settle
        const done = note(batch)
        schedule(true)
        return done
      },
    }
  }

  const page = (thread: string, after: number) => segments.read(thread, after, PAGE_BYTES)
  const generation = (thread: string): number => removals.get(thread) ?? 0
  const source = { channel: channelOf, page, generation }

  return {
    writer,
    read: (thread, readOptions) => readEntries(source, thread, readOptions),
    channel: channelOf,
    page,
    generation,
    async append(thread, envelopes) {
      if (envelopes.length === 0) return (await channelOf(thread)).last
      const batch = batchFor(thread, undefined)
      batch.envelopes.push(...envelopes)
      const mine = batch.envelopes.length
      schedule(true)
      // Others may have joined the batch after it.
      return batch.done.then((last) => last - (batch.envelopes.length - mine))
    },
    last: async (thread) => (await channelOf(thread)).last,
    follow(thread, position, reader) {
      const channel = channels.get(thread)
      if (channel === undefined || channel.last !== position) return false
      channel.readers.add(reader)
      return true
    },
    async grown(thread) {
      const grown = thread === undefined ? [...channels] : [...channels].filter(([id]) => id === thread)
      for (const [id, channel] of grown) await catchUp(segments, id, channel)
    },
    leave(thread, reader) {
      const channel = channels.get(thread)
      channel?.readers.delete(reader)
    },
    async remove(thread) {
      const channel = channels.get(thread)
      await segments.remove(thread)
      channels.delete(thread)
      removals.set(thread, generation(thread) + 1)
      for (const reader of channel?.readers ?? []) reader.end()
    },
    readers: () => [...channels.values()].reduce((sum, channel) => sum + channel.readers.size, 0),
    async close() {
      while (pending.length > 0 || isFlushing) await new Promise((resolve) => setImmediate(resolve))
      cancelTimer()
      for (const channel of channels.values()) for (const reader of channel.readers) reader.end()
    },
  }
}
