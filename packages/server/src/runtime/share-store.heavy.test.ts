import { type Envelope } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClewline, type Clewline } from '../create-clewline.ts'
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
    expect(await front.runs.cancel(thread_id, run.run_id)).toMatchObject({ status: 'cancelled' })
  })

  test('a cancel across processes takes less than 100 ms', async () => {
    const took: number[] = []
    for (let i = 0; i < 5; i++) {
      const { thread_id } = await front.threads.create({})
      const { run } = await front.runs.create(thread_id, { agent: 'chat', input: userSays('a long story') })
      await expect.poll(() => front.log.last(thread_id)).toBeGreaterThan(5)
      const asked = performance.now()
      await front.runs.cancel(thread_id, run.run_id)
      took.push(performance.now() - asked)
    }
    // The best of them: a machine that is busy with other things says nothing about the protocol.
    expect(Math.min(...took)).toBeLessThan(100)
  })

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
