import { type Entry } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline } from '../create-clewline.ts'
import { openStore } from '../store/open-store.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { longRun, type LongShape } from '../testing/long-run.ts'
import { testStore } from '../testing/test-store.ts'

test('compaction keeps the text, the rules and the positions, and makes the log small', async () => {
  const text = Array.from({ length: 3_000 }, (_, i) => `w${i} `)
  const clewline = await createClewline({
    agents: { chat: chatGraph(() => ({ text })) },
    store: await testStore(),
  })
  onTestFinished(() => clewline.close())
  await clewline.threads.create({ thread_id: 't' })
  for (const run_id of ['one', 'two']) {
    await clewline.runs.create('t', { agent: 'chat', input: userSays('x'), run_id })
    await expect.poll(async () => (await clewline.runs.get('t', run_id)).status).toBe('success')
  }
  const read = async (after = 0): Promise<Entry[]> => {
    const entries: Entry[] = []
    for await (const entry of eachEntry(clewline.log.read('t', { after, follow: false }))) entries.push(entry)
    return entries
  }
  const before = await read()
  const saved = await clewline.compact('t')
  const after = await read()
  expect(saved).toBe(2 * 2_999)
  expect(after).toHaveLength(before.length - saved)
  expect(after.at(-1)).toEqual(before.at(-1))
  expect(verify(after.map(({ envelope }) => envelope))).toEqual([])
  const said = (entries: Entry[]): string =>
    entries.flatMap(({ envelope }) => (envelope.type === 'llm_token' ? envelope.payload.text : [])).join('')
  expect(said(after)).toBe(said(before))
  expect(await read(before.length - 2)).toEqual(before.slice(-2))
  expect(await clewline.compact('t')).toBe(0)
})

test('a run whose compaction came due while nothing ran is compacted at the next start, once', async () => {
  const store = mkdtempSync(join(tmpdir(), 'clewline-compact-'))
  onTestFinished(() => rmSync(store, { recursive: true }))
  const text = Array.from({ length: 100 }, (_, i) => `w${i} `)
  const agents = { chat: chatGraph(() => ({ text })) }
  const earlier = await createClewline({ agents, store, compactAfterSeconds: 3_600 })
  await earlier.threads.create({ thread_id: 't' })
  await earlier.runs.create('t', { agent: 'chat', input: userSays('x'), run_id: 'r' })
  await expect.poll(async () => (await earlier.runs.get('t', 'r')).status).toBe('success')
  await earlier.close()

  const later = await createClewline({
    agents,
    store,
    compactAfterSeconds: 0.01,
  })
  onTestFinished(() => later.close())
  const due = () => later.store.runs.dueForCompaction(0, 10)
  await expect.poll(due, { timeout: 10_000 }).toEqual([])
  const tokens: Entry[] = []
  for await (const entry of eachEntry(later.log.read('t', { follow: false }))) {
    if (entry.envelope.type === 'llm_token') tokens.push(entry)
  }
  expect(tokens).toHaveLength(1)
})

test.each<LongShape>(['one call', 'many calls', 'calls that take turns'])(
  'a long run of %s is compacted in slices: the text stays, and requests are answered meanwhile',
  async (shape) => {
    const clewline = await createClewline({
      agents: { none: chatGraph(() => ({ text: '' })) },
      store: await testStore(),
      concurrency: 0,
    })
    onTestFinished(() => clewline.close())
    await longRun(clewline, 't', shape, 60_000)
    const texts = async (): Promise<Record<string, string>> => {
      const texts: Record<string, string> = {}
      for await (const { envelope } of eachEntry(clewline.log.read('t', { follow: false }))) {
        if (envelope.type !== 'llm_token') continue
        texts[envelope.call_id] = (texts[envelope.call_id] ?? '') + envelope.payload.text
      }
      return texts
    }
    const before = await texts()
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const saved = await clewline.compact('t')
    delay.disable()
    expect(saved).toBeGreaterThan(59_000)
    expect(delay.max / 1e6).toBeLessThan(500)
    expect(await texts()).toEqual(before)
  },
)

test('a run whose log cannot be read is left as it is, and holds up no other', async () => {
  const store = await openStore(await testStore())
  const agents = { none: chatGraph(() => ({ text: '' })) }
  const clewline = await createClewline({ agents, store, concurrency: 0, compactAfterSeconds: 0.2 })
  onTestFinished(() => clewline.close())
  for (let i = 0; i < 25; i++) {
    await longRun(clewline, `bad${i}`, 'one call', 10)
    const damaged = Buffer.from('id: 10\ndata: {"type":\n\n')
    await store.segments.replace(`bad${i}`, 1, 10, [{ first: 1, last: 10, bytes: damaged }])
  }
  await longRun(clewline, 'good', 'one call', 10)
  const due = async () => (await store.runs.dueForCompaction(0, 100)).map(({ run_id }) => run_id)
  await expect.poll(due).not.toContain('good')
  expect(await due()).toHaveLength(25)
  expect(await store.segments.read('bad0', 0, 1_000)).toHaveLength(1)
})
