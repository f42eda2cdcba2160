import { type Envelope } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import { createLedger } from '@clewline/core/source'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createClewline, type Clewline } from '../create-clewline.ts'
import { segmentLog } from '../log/segment-log.ts'
import { postgresStore } from '../store/postgres/postgres-store.ts'
import { postgresPrograms, startPostgres, type TestPostgres } from '../store/postgres/start-postgres.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'

const programs = postgresPrograms()
const needs = programs === null ? ': SKIPPED, no Postgres here (apt-get install postgresql)' : ''

describe.skipIf(programs === null)(`two processes on one Postgres store${needs}`, () => {
  let postgres: TestPostgres
  let front: Clewline
  let back: Clewline

  beforeAll(async () => {
    postgres = await startPostgres(programs!)
    const graph = () =>
      chatGraph(({ messages }) => ({
        text: `You said ${messages.at(-1)?.text}. `.repeat(20),
        delayMs: 5,
      }))
    // One that only answers, one that only works: whatever the first sees has crossed the store.
    front = await createClewline({
      agents: { chat: graph() },
      store: postgres.url,
      concurrency: 0,
      leaseMs: 1_000,
    })
    back = await createClewline({ agents: { chat: graph() }, store: postgres.url, leaseMs: 1_000 })
  })
  afterAll(async () => {
    await front.close()
    await back.close()
    postgres.stop()
  })

  test('a run created by one is run by the other, and followed live by both', async () => {
    const { thread_id } = await front.threads.create({})
    const seen = [front, back].map((clewline) => collect(clewline, thread_id))
    const { run } = await front.runs.create(thread_id, { agent: 'chat', input: userSays('hi') })
    const [here, there] = await Promise.all(seen)
    expect(here).toEqual(there)
    expect(verify(here!)).toEqual([])
    await expect.poll(async () => (await front.runs.get(thread_id, run.run_id)).status).toBe('success')
  })

  test('a run is cancelled from the process that does not run it', async () => {
    const { thread_id } = await front.threads.create({})
    const { run } = await front.runs.create(thread_id, { agent: 'chat', input: userSays('a long story') })
    await expect.poll(() => front.log.last(thread_id)).toBeGreaterThan(5)
    const started = performance.now()
    expect(await front.runs.cancel(thread_id, run.run_id)).toMatchObject({ status: 'cancelled' })
    const ms = performance.now() - started
    process.stdout.write(`cancelled across processes in ${Math.round(ms)} ms\n`)
    expect(ms).toBeLessThan(100)
  })

  test.each(['cancel', 'remove'] as const)(
    'a run is ended by %s within seconds when its worker is dead and there is no other',
    async (how) => {
      const url = await postgres.newDatabase()
      const dead = await postgresStore(url)
      const lonely = await createClewline({ agents: { chat: chatGraph() }, store: url, concurrency: 0 })
      onTestFinished(async () => {
        await lonely.close()
        await dead.close()
      })
      const { thread_id } = await lonely.threads.create({})
      const { run } = await lonely.runs.create(thread_id, { agent: 'chat', input: userSays('hi') })
      const claimed = await dead.runs.claim('a worker that dies', 60_000)
      // It dies after it has begun.
      await dead.runs.begin({ run_id: run.run_id, attempt: 1 }, 0, null)
      const ledger = createLedger({ trace_id: run.trace_id, run_id: run.run_id })
      const payload = { tool_name: 'chat', kind: 'graph' } as const
      const writer = segmentLog(dead.segments).writer(thread_id, { run_id: run.run_id, attempt: 1 })
      await writer.push(ledger.stamp({ type: 'tool_start', path: [], agent: 'chat', payload }))
      await writer.flush()
      expect(claimed).toMatchObject({ run_id: run.run_id, attempt: 1 })

      const started = performance.now()
      if (how === 'remove') {
        await lonely.threads.remove(thread_id)
        await expect(lonely.threads.get(thread_id)).rejects.toMatchObject({ code: 'not-found' })
      } else {
        expect(await lonely.runs.cancel(thread_id, run.run_id)).toMatchObject({ status: 'cancelled' })
        const envelopes = await collect(lonely, thread_id)
        expect(envelopes.at(-1)).toMatchObject({ type: 'tool_end', payload: { status: 'cancelled' } })
        expect(verify(envelopes)).toEqual([])
        expect(await lonely.threads.get(thread_id)).toMatchObject({ status: 'idle' })
      }
      expect(performance.now() - started).toBeLessThan(8_000)
    },
  )

  test('what happens in one is told to those who listen in the other', async () => {
    const statuses: string[] = []
    const stop = front.bus.subscribe((change) => {
      if (change.type === 'run') statuses.push(change.run.status)
    })
    const { thread_id } = await back.threads.create({})
    await back.runs.create(thread_id, { agent: 'chat', input: userSays('hi') })
    await expect.poll(() => statuses, { timeout: 10_000 }).toContain('success')
    stop()
  })

  test('many runs on many threads are run once each', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => (await front.threads.create({})).thread_id),
    )
    await Promise.all(ids.map((id) => front.runs.create(id, { agent: 'chat', input: userSays('hi') })))
    for (const id of ids) expect(verify(await collect(front, id))).toEqual([])
  })
})

/** Follows until the root call has ended. */
async function collect(clewline: Clewline, thread: string): Promise<Envelope[]> {
  const found: Envelope[] = []
  const stop = new AbortController()
  for await (const { envelope } of eachEntry(clewline.log.read(thread, { signal: stop.signal }))) {
    found.push(envelope)
    if (envelope.parent_id === null && envelope.type === 'tool_end') stop.abort()
  }
  return found
}
