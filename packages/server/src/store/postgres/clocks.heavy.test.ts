import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Clewline, createClewline } from '../../create-clewline.ts'
import { chatGraph, userSays } from '../../testing/chat-graph.ts'
import { runRow, threadRow } from '../../testing/store-under-test.ts'
import { postgresStore } from './postgres-store.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''
const LEASE_MS = 1_500

describe.skipIf(programs === null)(`processes whose clocks disagree, on one Postgres store${needs}`, () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.stop())

  async function processAt(store: string, offMs: number, concurrency = 4): Promise<Clewline> {
    const text = Array.from({ length: 100 }, (_, i) => `w${i} `)
    const clewline = await createClewline({
      agents: { slow: chatGraph([{ text, delayMs: 40 }]), chat: chatGraph() },
      store,
      leaseMs: LEASE_MS,
      concurrency,
      now: () => Date.now() + offMs,
    })
    onTestFinished(() => clewline.close({ timeoutMs: 0 }))
    return clewline
  }

  test.each([120_000, -120_000])(
    'one that is %i ms off takes no run whose lease is renewed, and takes up one whose lease expired',
    async (offMs) => {
      const url = await postgres.newDatabase()
      const store = await postgresStore(url)
      onTestFinished(() => store.close())
      await store.threads.insert(threadRow('dead'))
      await store.runs.insert(runRow('dead', { run_id: 'dead', agent: 'chat', position: null }))
      // A worker that dies with its run as soon as it has claimed it.
      await store.runs.claim('dead worker', LEASE_MS)
      const right = await processAt(url, 0, 1)
      await right.threads.create({ thread_id: 'alive' })
      await right.runs.create('alive', { agent: 'slow', input: userSays('go'), run_id: 'alive' })
      await expect.poll(async () => (await right.runs.get('alive', 'alive')).status).toBe('running')
      const wrong = await processAt(url, offMs)
      expect(await store.runs.get('dead')).toMatchObject({ status: 'running', attempt: 1 })

      await expect
        .poll(() => store.runs.get('dead'), { timeout: 15_000 })
        .toMatchObject({ status: 'success', attempt: 2 })
      await expect
        .poll(() => wrong.runs.get('alive', 'alive'), { timeout: 30_000 })
        .toMatchObject({ status: 'success', attempt: 1, crashes: 0 })
    },
  )

  test.each([120_000, -120_000])(
    'a run that one %i ms off schedules for later starts when it is due',
    async (offMs) => {
      const url = await postgres.newDatabase()
      const wrong = await processAt(url, offMs, 0)
      const right = await processAt(url, 0)
      await wrong.threads.create({ thread_id: 't' })
      const { run } = await wrong.runs.create('t', {
        agent: 'chat',
        input: userSays('x'),
        after_seconds: 1,
      })
      await expect
        .poll(() => right.runs.get('t', run.run_id), { timeout: 15_000 })
        .toMatchObject({ status: 'success' })
      const { created_at, started_at, ended_at } = await right.runs.get('t', run.run_id)
      expect(Date.parse(started_at!) - Date.parse(created_at)).toBeGreaterThanOrEqual(1_000)
      expect(Date.parse(started_at!) - Date.parse(created_at)).toBeLessThan(10_000)
      expect(Date.parse(ended_at!)).toBeGreaterThanOrEqual(Date.parse(started_at!))
    },
  )
})
