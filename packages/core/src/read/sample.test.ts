import { expect, test } from 'vitest'
import type { Entry } from '../event-log.ts'
import { memoryLog } from '../memory-log.ts'
import { sample, type Clock } from './sample.ts'
import { createLedger } from '../source/ledger.ts'

function ledger() {
  const book = createLedger({ trace_id: 't', run_id: 'r' })
  const agent = 'a'
  return {
    start: () => [
      ...book.stamp({
        type: 'tool_start',
        path: [],
        agent,
        payload: { tool_name: 'main', kind: 'graph', input: {} },
      }),
      ...book.stamp({ type: 'llm_start', path: ['llm'], agent, payload: { model: 'm', params: {} } }),
    ],
    token: (text: string) => book.stamp({ type: 'llm_token', path: ['llm'], agent, payload: { text } }),
  }
}

/** A manual clock: time stands until a test advances it. */
function handClock(): Clock & { tick(ms: number): Promise<void>; sleeping(): number } {
  let now = 0
  let sleepers: { readonly until: number; readonly wake: () => void }[] = []
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        sleepers.push({ until: now + ms, wake: resolve })
        signal.addEventListener('abort', () => resolve())
      }),
    async tick(ms) {
      now += ms
      for (const { until, wake } of sleepers) if (until <= now) wake()
      sleepers = sleepers.filter(({ until }) => until > now)
      await settled()
    },
    sleeping: () => sleepers.length,
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

function collect(entries: AsyncIterable<Entry>): { readonly texts: string[]; readonly done: Promise<void> } {
  const texts: string[] = []
  const done = (async () => {
    for await (const { envelope } of entries)
      if (envelope.type === 'llm_token') texts.push(envelope.payload.text)
  })()
  return { texts, done }
}

test('a live reader gets joined tokens when their window is over, and the rest when the log ends', async () => {
  const log = memoryLog()
  const clock = handClock()
  const stop = new AbortController()
  const { texts, done } = collect(sample(log.read('th', { signal: stop.signal }), { profile: 'user', clock }))
  const { start, token } = ledger()
  await log.append('th', [...start(), ...token('a'), ...token('b'), ...token('c')])
  await settled()
  expect(texts).toEqual(['a'])
  await clock.tick(49)
  expect(texts).toEqual(['a'])
  await clock.tick(1)
  expect(texts).toEqual(['a', 'bc'])
  await log.append('th', token('d'))
  await settled()
  expect(texts).toEqual(['a', 'bc'])
  stop.abort()
  await done
  expect(texts).toEqual(['a', 'bc', 'd'])
})

test('one window takes one timer, however many tokens', async () => {
  const log = memoryLog()
  const clock = handClock()
  const { texts, done } = collect(
    sample(log.read('th', { signal: AbortSignal.timeout(5000) }), { profile: 'user', clock }),
  )
  const { start, token } = ledger()
  await log.append('th', start())
  for (let i = 0; i < 100; i++) await log.append('th', token('x'))
  await settled()
  expect(clock.sleeping()).toBe(1)
  await clock.tick(50)
  expect(texts).toEqual(['x', 'x'.repeat(99)])
  await log.remove('th')
  await done
})

test('what waits is not lost when the log fails', async () => {
  const { start, token } = ledger()
  const envelopes = [...start(), ...token('a'), ...token('b')]
  async function* broken(): AsyncGenerator<Entry> {
    for (const [i, envelope] of envelopes.entries()) yield { position: i + 1, envelope }
    throw new Error('disk')
  }
  const { texts, done } = collect(sample(broken(), { profile: 'user' }))
  await expect(done).rejects.toThrow('disk')
  expect(texts).toEqual(['a', 'b'])
})

test('a reader that stops early ends the reading of the log at its next entry or abort', async () => {
  const log = memoryLog()
  const stop = new AbortController()
  const { start } = ledger()
  await log.append('th', start())
  for await (const entry of sample(log.read('th', { signal: stop.signal }), { profile: 'user' })) {
    expect(entry.position).toBe(1)
    break
  }
  stop.abort()
})
