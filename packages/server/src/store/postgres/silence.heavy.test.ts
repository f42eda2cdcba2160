import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type CuttingProxy, cuttingProxy } from '../../testing/cutting-proxy.ts'
import { runRow, threadRow } from '../../testing/store-under-test.ts'
import type { Notice } from '../notices.ts'
import type { SharedStore, Store } from '../store.ts'
import { postgresStore } from './postgres-store.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from './start-postgres.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, not on this machine (apt-get install postgresql)' : ''

describe.skipIf(programs === null)(`connections to Postgres that go silent${needs}`, () => {
  let postgres: TestPostgres

  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.stop())

  async function behindProxy(): Promise<{ store: Store & SharedStore; proxy: CuttingProxy; url: string }> {
    const url = await postgres.newDatabase()
    const proxy = await cuttingProxy(url)
    const store = await postgresStore(proxy.url)
    if (!store.isShared) throw new Error('It is shared.')
    // One of the tests has closed it by then.
    onTestFinished(() => store.close().catch(() => {}))
    return { store, proxy, url }
  }

  test('are given up within seconds: what waits rejects as unavailable, what comes next has new ones', async () => {
    const { store, proxy } = await behindProxy()
    // Some are idle in the pool, some wait for an answer.
    await Promise.all(Array.from({ length: 5 }, () => store.now()))
    proxy.stall()
    const started = performance.now()
    const waiting = await Promise.allSettled(Array.from({ length: 10 }, () => store.now()))
    expect(performance.now() - started).toBeLessThan(5_000)
    for (const one of waiting) {
      expect(one).toMatchObject({ status: 'rejected' })
      if (one.status === 'rejected') expect(store.isUnavailable?.(one.reason)).toBe(true)
    }
    proxy.resume()
    await expect.poll(() => store.now(), { timeout: 5_000 }).toMatch(/^20/)
  })

  test('do not keep others from the rows that they held', async () => {
    const { store, proxy, url } = await behindProxy()
    await store.threads.insert(threadRow('t'))
    await store.runs.insert(runRow('t', { run_id: 'r' }))
    const run = await store.runs.claim('w', 1_000)
    const fence = { run_id: 'r', attempt: run!.attempt }
    const other = new pg.Client(url)
    await other.connect()
    onTestFinished(() => other.end())
    // The append waits for this row when the network goes; then it is the append that holds its rows, without a client.
    await other.query("BEGIN; SELECT 1 FROM clewline.runs WHERE run_id = 'r' FOR UPDATE")
    const appending = store.segments
      .append([{ thread_id: 't', first: 1, last: 1, bytes: Buffer.from('x'), fence }])
      .catch((error: unknown) => error)
    const waits = async (): Promise<unknown> =>
      (await other.query('SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted')).rows[0]
    await expect.poll(waits).toEqual({ n: 1 })
    proxy.stall()
    await other.query('COMMIT')
    expect(await appending).toBeInstanceOf(Error)
    proxy.resume()
    await expect
      .poll(() => store.runs.claim('v', 1_000), { timeout: 8_000 })
      .toMatchObject({ run_id: 'r', attempt: 2 })
  })

  test('that listen are replaced, and listeners told that they may have missed something', async () => {
    const { store, proxy, url } = await behindProxy()
    const other = await postgresStore(url)
    onTestFinished(() => other.close())
    const heard: Notice[] = []
    store.notices.subscribe((notice) => heard.push(notice))
    proxy.stall()
    await expect.poll(() => store.notices.isConnected?.(), { timeout: 5_000 }).toBe(false)
    proxy.resume()
    const resumed = performance.now()
    await expect.poll(() => heard, { timeout: 6_000, interval: 20 }).toEqual([{ kind: 'missed' }])
    expect(performance.now() - resumed).toBeLessThan(5_000)
    if (other.isShared) await other.notices.publish({ kind: 'cancel', run_id: 'r' })
    await expect.poll(() => heard.at(-1)).toEqual({ kind: 'cancel', run_id: 'r' })
  })

  test('are not taken for silent when a statement is slow, or the process was', async () => {
    const { store } = await behindProxy()
    const slow = (store as { checkpointer?: { pool?: pg.Pool } }).checkpointer?.pool?.query(
      'SELECT pg_sleep(6)',
    )
    await sleep(1_200)
    // A tool that keeps the event loop for longer than a probe may take.
    const until = performance.now() + 4_000
    while (performance.now() < until);
    await expect(slow).resolves.toMatchObject({ rowCount: 1 })
    expect(store.notices.isConnected?.()).toBe(true)
  })

  test('do not keep the store from being closed', async () => {
    const { store, proxy } = await behindProxy()
    await store.now()
    proxy.stall()
    void store.now().catch(() => {})
    const started = performance.now()
    await store.close()
    expect(performance.now() - started).toBeLessThan(2_000)
  })
})
