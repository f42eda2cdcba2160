import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Database, openDatabase } from '../store/sqlite/database.ts'
import { migrate } from '../store/sqlite/migrations.ts'
import { sqliteStoreOn } from '../store/sqlite/sqlite-store.ts'
import { startService } from '../testing/start-service.ts'

/** Counts to 30, with 20 kB more in the state at each step. */
const State = Annotation.Root({
  n: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }),
  text: Annotation<string>(),
})
const counting = new StateGraph(State)
  .addNode('step', async ({ n }) => {
    await sleep(2)
    return { n: 1, text: `${n}`.repeat(10_000) }
  })
  .addEdge(START, 'step')
  .addConditionalEdges('step', ({ n }) => (n < 30 ? 'step' : END))
  .compile()

function fileOfOurOwn(): Database {
  const folder = mkdtempSync(join(tmpdir(), 'clewline-full-'))
  const database = openDatabase(join(folder, 'clewline.db'))
  database.statement('PRAGMA journal_mode = WAL').all()
  migrate(database)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return database
}

/** SQLite refuses every page more than `spare`, as it does when the disk is full. */
function leaveRoom(database: Database, spare: number): void {
  const pages = database.statement<{ page_count: number }>('PRAGMA page_count').get()?.page_count ?? 0
  database.statement(`PRAGMA max_page_count = ${pages + spare}`).all()
}

test('a full disk is said to every request that writes, what is there is served, and runs go on when there is room', async () => {
  const database = fileOfOurOwn()
  const store = sqliteStoreOn(database, undefined, async () => database.close())
  const { call, clewline } = await startService({ agents: { counting }, store, leaseMs: 1_500 })
  await call('POST', '/api/threads', { thread_id: 't' })
  await call('POST', '/api/threads', { thread_id: 'other', title: 'kept' })
  leaveRoom(database, 60)
  const accepted = await call('POST', '/api/threads/t/runs', {
    agent: 'counting',
    input: {},
    run_id: 'r',
    config: { recursion_limit: 500 },
  })
  expect(accepted.status).toBe(202)
  const large = 'x'.repeat(300_000)
  await vi.waitFor(
    async () => expect((await call('PATCH', '/api/threads/other', { metadata: { large } })).status).toBe(503),
    5_000,
  )
  const sentence = expect.stringMatching(/^The store cannot be written: .*full/)
  for (const [method, path, body] of [
    ['PATCH', '/api/threads/other', { metadata: { large } }],
    ['PATCH', '/api/threads/other/state', { values: { text: large } }],
    ['POST', '/api/threads', { metadata: { large } }],
    ['POST', '/api/threads/other/runs', { agent: 'counting', input: { text: large } }],
  ] as const) {
    const reply = await call(method, path, body)
    if (reply.status === 422) continue
    expect([method, path, reply.status]).toEqual([method, path, 503])
    expect(reply.body).toMatchObject({ error: { code: 'unavailable', message: sentence } })
  }
  expect(await call('GET', '/api/threads/other')).toMatchObject({ status: 200, body: { title: 'kept' } })
  expect((await call('GET', '/ok')).status).toBe(200)
  const waiting = await call('GET', '/api/threads/t/runs/r')
  expect(waiting.body['status']).toBe('running')

  database.statement('PRAGMA max_page_count = 1000000').all()
  await vi.waitFor(async () => expect((await clewline.runs.get('t', 'r')).status).toBe('success'), {
    timeout: 15_000,
    interval: 50,
  })
  expect((await call('GET', '/api/threads/t/state')).body).toMatchObject({ values: { n: 30 } })
  expect((await call('DELETE', '/api/threads/other')).status).toBe(204)
})
