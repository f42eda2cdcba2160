import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eachEntry } from '@clewline/core/read'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline, type Clewline } from '../create-clewline.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { nextTick } from './schedule.ts'

const MINUTE = 60_000
const agents = {
  chat: chatGraph([{ text: 'tick' }, { text: 'tock' }, { text: 'tick' }]),
  slow: chatGraph([{ text: Array.from({ length: 400 }, () => 'w '), delayMs: 10 }]),
}

/** A service whose clock starts a second before a full minute: time enough to make a cron, also on a busy machine. */
async function open(store = ':memory:', minutes = 0): Promise<Clewline> {
  const start = Math.ceil(Date.now() / MINUTE) * MINUTE + minutes * MINUTE - 1_000
  const ahead = start - Date.now()
  return await createClewline({ agents, store, now: () => Date.now() + ahead })
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'clewline-cron-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('a tick is an ordinary run that whoever follows the thread sees live', async () => {
  const clewline = await open()
  onTestFinished(() => clewline.close())
  await clewline.threads.create({ thread_id: 't' })
  const cron = await clewline.crons.create({
    schedule: '* * * * *',
    thread_id: 't',
    agent: 'chat',
    input: userSays('x'),
  })
  for await (const { envelope } of eachEntry(clewline.log.read('t')))
    if (envelope.type === 'tool_end' && envelope.parent_id === null) break
  const [run] = await clewline.runs.list('t')
  expect(run).toMatchObject({ cron_id: cron.cron_id })
  await expect.poll(async () => (await clewline.crons.list())[0]).toMatchObject({ last_run_id: run?.run_id })
})

test('without a thread each tick makes one', async () => {
  const clewline = await open()
  onTestFinished(() => clewline.close())
  await clewline.crons.create({ schedule: '* * * * *', agent: 'chat', input: userSays('x') })
  await expect.poll(async () => clewline.threads.list({ limit: 10 }), { timeout: 10_000 }).toHaveLength(1)
})

test('ticks missed while nobody was there are one tick, and crons survive a restart', async () => {
  const store = folder()
  const first = await open(store)
  await first.threads.create({ thread_id: 't' })
  await first.crons.create({ schedule: '* * * * *', thread_id: 't', agent: 'chat', input: userSays('x') })
  await first.close()
  // Thirty minutes and a bit later.
  const second = await open(store, 30)
  onTestFinished(() => second.close())
  await expect.poll(async () => (await second.runs.list('t')).length, { timeout: 10_000 }).toBe(1)
  const [cron] = await second.crons.list()
  expect(Date.parse(cron?.next_at ?? '')).toBeGreaterThan(Date.now() + 29 * MINUTE)
})

test.each([
  ['skip', ['running']],
  ['enqueue', ['running', 'pending']],
  ['cancel', ['cancelled', 'running']],
] as const)('when the last tick still runs, "%s" does as it says', async (on_overlap, expected) => {
  const store = folder()
  const first = await open(store)
  await first.threads.create({ thread_id: 't' })
  await first.crons.create({
    schedule: '* * * * *',
    thread_id: 't',
    agent: 'slow',
    input: userSays('x'),
    on_overlap,
  })
  await expect.poll(async () => (await first.runs.list('t'))[0]?.status, { timeout: 10_000 }).toBe('running')
  await expect.poll(async () => (await first.crons.list())[0]?.last_at).not.toBeNull()
  await first.close({ timeoutMs: 10 })
  const second = await open(store, 1)
  onTestFinished(() => second.close({ timeoutMs: 10 }))
  await expect
    .poll(async () => (await second.crons.list())[0]?.last_at, { timeout: 10_000 })
    .not.toBe((await second.runs.list('t')).at(-1)?.created_at)
  await expect
    .poll(async () => (await second.runs.list('t')).map(({ status }) => status).toReversed(), {
      timeout: 10_000,
    })
    .toEqual(expected)
})

test.each([
  ['0 8 * * *', 'Europe/Vienna', '2026-01-01T00:00:00.000Z', '2026-01-01T07:00:00.000Z'],
  ['0 8 * * *', 'Europe/Vienna', '2026-07-01T00:00:00.000Z', '2026-07-01T06:00:00.000Z'],
  ['30 2 29 2 *', 'UTC', '2026-01-01T00:00:00.000Z', '2028-02-29T02:30:00.000Z'],
  ['*/15 9-10 * * 1-5', 'America/New_York', '2026-11-14T00:00:00.000Z', '2026-11-16T14:00:00.000Z'],
])('%s in %s after %s ticks at %s', (schedule, zone, after, expected) => {
  expect(nextTick(schedule, zone, new Date(after))?.toISOString()).toBe(expected)
})
