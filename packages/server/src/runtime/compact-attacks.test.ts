import { setTimeout as sleep } from 'node:timers/promises'
import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { eachEntry } from '@clewline/core/read'
import { createFold, type View } from '@clewline/core/view'
import { expect, onTestFinished, test } from 'vitest'
import { type Clewline, createClewline } from '../create-clewline.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { longRun } from '../testing/long-run.ts'
import { testStore } from '../testing/test-store.ts'

const text = Array.from({ length: 2_000 }, (_, i) => `w${i} `)
const agents = { chat: chatGraph(() => ({ text })) }

async function newStore(): Promise<Store> {
  const store = await openStore(await testStore())
  onTestFinished(() => store.close())
  return { ...store, close: async () => {} }
}

async function open(store: Store, options: { concurrency?: number } = {}): Promise<Clewline> {
  const clewline = await createClewline({ agents, store, studio: false, ...options })
  onTestFinished(() => clewline.close({ timeoutMs: 0 }))
  return clewline
}

async function logOf(clewline: Clewline, thread_id: string): Promise<Envelope[]> {
  const log: Envelope[] = []
  for await (const { envelope } of eachEntry(clewline.log.read(thread_id, { follow: false })))
    log.push(envelope)
  return log
}

const textOf = (log: readonly Envelope[]): string =>
  log.flatMap((one) => (one.type === 'llm_token' ? one.payload.text : [])).join('')

test('a compaction whose process dies in the middle is finished by the next one: nothing is lost, doubled or miscounted', async () => {
  const store = await newStore()
  const first = await open(store, { concurrency: 0 })
  await longRun(first, 't', 'calls that take turns', 60_000)
  const before = await logOf(first, 't')
  const perCall = (log: readonly Envelope[]): Record<string, string> =>
    Object.fromEntries(
      [...new Set(log.map(({ call_id }) => call_id))].map((id) => [
        id,
        textOf(log.filter(({ call_id }) => call_id === id)),
      ]),
    )
  let replaced = 0
  let dies = (): void => {}
  const died = new Promise<void>((resolve) => (dies = resolve))
  const mortal = await open(
    {
      ...store,
      segments: {
        ...store.segments,
        async replace(...slice) {
          replaced += 1
          if (replaced < 3) return store.segments.replace(...slice)
          dies()
          return new Promise(() => {})
        },
      },
    },
    { concurrency: 0 },
  )
  void mortal.compact('t')
  await died
  const heir = await open(store, { concurrency: 0 })
  expect(perCall(await logOf(heir, 't'))).toEqual(perCall(before))
  expect(await heir.compact('t')).toBeGreaterThan(0)
  const after = await logOf(heir, 't')
  expect(perCall(after)).toEqual(perCall(before))
  expect(after.length).toBeLessThan(1_000)
  const segments = await store.segments.read('t', 0, 1e9)
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes.length, 0)
  expect(await store.threads.logBytes(null)).toBe(bytes)
})

test('a reader who reads while a thread is compacted, and one who resumes in the middle, show the same text', async () => {
  const clewline = await open(await newStore())
  await clewline.threads.create({ thread_id: 't' })
  for (const run_id of ['one', 'two', 'three']) {
    await clewline.runs.create('t', { agent: 'chat', input: userSays('x'), run_id })
    await expect
      .poll(async () => (await clewline.runs.get('t', run_id)).status, { timeout: 20_000 })
      .toBe('success')
  }
  const whole = createFold()
  for await (const entry of eachEntry(clewline.log.read('t', { follow: false }))) whole.apply(entry)
  const last = await clewline.log.last('t')
  const fold = createFold()
  let after = 0
  let isCompacted = false
  const positions: number[] = []
  while (after < last) {
    // A page at a time, as over connections that are lost: each resumes after the last position seen.
    for await (const entry of eachEntry(clewline.log.read('t', { after, follow: false }))) {
      positions.push(entry.position)
      fold.apply(entry)
      after = entry.position
      if (positions.length % 700 === 0) break
    }
    if (!isCompacted && positions.length >= 700) {
      isCompacted = true
      await clewline.compact('t')
    }
    await sleep(0)
  }
  expect(positions).toEqual([...positions].toSorted((a, b) => a - b))
  expect(new Set(positions).size).toBe(positions.length)
  const texts = ({ calls }: View): readonly unknown[] => [...calls.values()].map(({ text }) => text)
  expect(texts(fold.snapshot())).toEqual(texts(whole.snapshot()))
})

test('a fork that is made while its thread is compacted has all of the text once', async () => {
  const store = await newStore()
  const clewline = await open(store)
  await clewline.threads.create({ thread_id: 't' })
  await clewline.runs.create('t', { agent: 'chat', input: userSays('x'), run_id: 'r' })
  await expect
    .poll(async () => (await clewline.runs.get('t', 'r')).status, { timeout: 20_000 })
    .toBe('success')
  const said = textOf(await logOf(clewline, 't'))
  let isFirst = true
  const forking = await open({
    ...store,
    segments: {
      ...store.segments,
      async read(...wanted) {
        const page = await store.segments.read(...wanted)
        // Between the first page of the copy and the next one.
        if (isFirst) {
          isFirst = false
          expect(await clewline.compact('t')).toBeGreaterThan(1_000)
        }
        return page
      },
    },
  })
  await forking.forks.fork('t', { thread_id: 'fork' })
  const log = await logOf(clewline, 'fork')
  expect(verify(log)).toEqual([])
  expect(textOf(log)).toBe(said)
})
