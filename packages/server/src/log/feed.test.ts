import type { Envelope } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import { feedOf, type FeedOptions } from './feed.ts'
import type { ParsedSegment } from './frames.ts'
import { segmentLog } from './segment-log.ts'

// The feed's clock stands until a test moves it. Appends are flushed at once and need none.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function says() {
  const ledger = createLedger({ trace_id: 't', run_id: 'r' })
  const agent = 'a'
  return {
    start: (): Envelope[] => [
      ...ledger.stamp({
        type: 'tool_start',
        path: [],
        agent,
        payload: { tool_name: 'main', kind: 'graph', input: {} },
      }),
      ...ledger.stamp({ type: 'llm_start', path: ['llm'], agent, payload: { model: 'm', params: {} } }),
    ],
    token: (text: string): readonly Envelope[] =>
      ledger.stamp({ type: 'llm_token', path: ['llm'], agent, payload: { text } }),
  }
}

/** A reader at the tail of an empty thread, and what it has got. */
async function follow(options: FeedOptions) {
  const store = sqliteStore(':memory:')
  const log = segmentLog(store.segments)
  onTestFinished(async () => {
    await log.close()
    await store.close()
  })
  const feed = feedOf(log, options)
  const texts: string[] = []
  let isEnded = false
  const reader = {
    next({ entries }: ParsedSegment) {
      for (const { envelope } of entries) if (envelope.type === 'llm_token') texts.push(envelope.payload.text)
    },
    end: () => void (isEnded = true),
  }
  await log.tail('th')
  expect(feed.follow('th', 0, reader)).toBe(true)
  return { log, feed, reader, texts, isEnded: () => isEnded }
}

test('a reader gets the tokens of a window joined, when the window is over', async () => {
  const { log, texts } = await follow({ profile: 'user' })
  const { start, token } = says()
  await log.append('th', [...start(), ...token('a'), ...token('b'), ...token('c')])
  expect(texts).toEqual(['a'])
  vi.advanceTimersByTime(49)
  expect(texts).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(texts).toEqual(['a', 'bc'])
})

test('the window is as long as it was asked for, within its limits', async () => {
  const { log, texts } = await follow({ profile: 'user', windowMs: 75 })
  const { start, token } = says()
  await log.append('th', [...start(), ...token('a'), ...token('b')])
  vi.advanceTimersByTime(74)
  expect(texts).toEqual(['a'])
  vi.advanceTimersByTime(1)
  expect(texts).toEqual(['a', 'b'])
  expect(() => feedOf(log, { profile: 'user', windowMs: 76 })).toThrow('76 ms is not possible')
})

test('one window takes one timer, however many tokens', async () => {
  const { log, texts } = await follow({ profile: 'user' })
  const { start, token } = says()
  await log.append('th', start())
  for (let i = 0; i < 100; i++) await log.append('th', token('x'))
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(50)
  expect(texts).toEqual(['x', 'x'.repeat(99)])
})

test.each(['remove', 'close'] as const)('what waits is put out before a %s ends the reader', async (how) => {
  const { log, texts, isEnded } = await follow({ profile: 'user' })
  const { start, token } = says()
  await log.append('th', [...start(), ...token('a'), ...token('b')])
  await (how === 'remove' ? log.remove('th') : log.close())
  expect([texts, isEnded(), vi.getTimerCount()]).toEqual([['a', 'b'], true, 0])
})

test('the last reader that leaves takes the timer along', async () => {
  const { log, feed, reader } = await follow({ profile: 'user' })
  const { start, token } = says()
  await log.append('th', [...start(), ...token('a'), ...token('b')])
  feed.leave('th', reader)
  expect([vi.getTimerCount(), log.readers()]).toEqual([0, 0])
})

test('debug is everything, as it was committed', async () => {
  const { log, texts } = await follow({ profile: 'debug' })
  const { start, token } = says()
  await log.append('th', [...start(), ...token('a'), ...token('b')])
  expect(texts).toEqual(['a', 'b'])
})
