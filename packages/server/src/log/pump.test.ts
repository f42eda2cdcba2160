import type { Envelope } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import { expect, onTestFinished, test } from 'vitest'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import { feedOf } from './feed.ts'
import { encodeWhole } from './encode-envelope.ts'
import { framesOf, rowsOf } from './frames.ts'
import { pump, type Sink } from './pump.ts'
import { segmentLog } from './segment-log.ts'

// Two logs on one store are two processes on one database: `near` is where the reader is, `far` where the run is.
function twoProcesses() {
  const store = sqliteStore(':memory:')
  const [near, far] = [segmentLog(store.segments), segmentLog(store.segments)]
  onTestFinished(async () => {
    await near.close()
    await far.close()
    await store.close()
  })
  return { store, near, far }
}

function envelopes(): () => readonly Envelope[] {
  const ledger = createLedger({ trace_id: 't', run_id: 'r' })
  let isStarted = false
  return () => {
    const agent = 'a'
    if (isStarted) return ledger.stamp({ type: 'llm_token', path: ['llm'], agent, payload: { text: 'x' } })
    isStarted = true
    return [
      ...ledger.stamp({ type: 'tool_start', path: [], agent, payload: { tool_name: 'm', kind: 'graph' } }),
      ...ledger.stamp({ type: 'llm_start', path: ['llm'], agent, payload: { model: 'm', params: {} } }),
    ]
  }
}

/** Keeps the positions that a reader is sent. */
function collector(): Sink & { readonly positions: number[]; close: () => void } {
  const positions: number[] = []
  let isClosed = false
  let left = (): void => {}
  return {
    positions,
    write(bytes) {
      for (const frame of framesOf({ bytes })) if (frame.type === 'envelope') positions.push(frame.position)
      return true
    },
    room: () => Promise.resolve(true),
    isClosed: () => isClosed,
    onClose: (listener) => void (left = listener),
    end: () => {},
    close() {
      isClosed = true
      left()
    },
  }
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)

test.each([
  // What the tail of the reader's process knows, and what the reader has, when the store is at 8.
  { tail: 0, after: 0 },
  { tail: 0, after: 5 },
  { tail: 4, after: 0 },
  { tail: 4, after: 6 },
  { tail: 4, after: 8 },
  { tail: 8, after: 3 },
])(
  'a reader with $after gets each position after it once, when the tail of its process is at $tail',
  async ({ tail, after }) => {
    const { near, far } = twoProcesses()
    const next = envelopes()
    if (tail === 0) await near.tail('th')
    for (let last = 0; last < 8;) {
      last = await far.append('th', next())
      if (last === tail) await near.tail('th')
    }
    const reader = collector()
    const reading = pump(feedOf(near, { profile: 'debug' }), 'th', { after, follow: true }, reader)
    await near.refresh('th')
    const end = await far.append('th', next())
    await near.refresh('th')
    await expect.poll(() => reader.positions.at(-1)).toBe(end)
    reader.close()
    await reading
    expect(reader.positions).toEqual(range(after + 1, end))
  },
)

test('a position that the log never had is taken for its end', async () => {
  const { near, far } = twoProcesses()
  await near.tail('th')
  const last = await far.append('th', envelopes()())
  const reader = collector()
  const feed = feedOf(near, { profile: 'debug' })
  expect(await feed.history('th', 1_000, reader)).toBe(last)
  expect(reader.positions).toEqual([])
})

test('a tail that is in the middle of what was compacted meanwhile goes on behind it', async () => {
  const { store, near, far } = twoProcesses()
  const next = envelopes()
  await far.append('th', next())
  await near.tail('th')
  const reader = collector()
  const reading = pump(feedOf(near, { profile: 'debug' }), 'th', { after: 0, follow: true }, reader)
  await expect.poll(() => reader.positions).toEqual([1, 2])
  for (let i = 0; i < 4; i++) await far.append('th', next())
  const entries = []
  for await (const batch of far.read('th', { follow: false })) entries.push(...batch)
  const folded = entries.filter(({ position }) => position < 3 || position > 4)
  await store.segments.replace('th', 1, 6, rowsOf(folded, 1, encodeWhole))
  await near.refresh('th')
  await far.append('th', next())
  await near.refresh('th')
  reader.close()
  await reading
  expect(reader.positions).toEqual([1, 2, 5, 6, 7])
})
