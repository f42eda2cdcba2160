import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judge } from '@clewline/agui/testing'
import { watchThread } from './index.ts'
import type { WatchThread } from './index.ts'
import { connectBench, say, types } from './testing/connect-bench.ts'
import type { ConnectBench } from './testing/connect-bench.ts'
import { langGraphServer } from './testing/langgraph-server.ts'
import type { LangGraphServer } from './testing/langgraph-server.ts'

let server: LangGraphServer
let bench: ConnectBench

beforeAll(async () => {
  server = await langGraphServer()
  bench = connectBench(server)
}, 60_000)
afterAll(() => server.close())

interface Watch {
  readonly events: Event[]
  /** How many runs have been shown to their end. */
  readonly ends: () => number
  readonly stop: () => Promise<void>
}

function watch(graph: string, threadId: string, options: Partial<WatchThread>): Watch {
  const stop = new AbortController()
  const events: Event[] = []
  const watching = (async () => {
    const all = watchThread(bench.agentOf(graph, threadId), { ...options, threadId, signal: stop.signal })
    for await (const event of all) events.push(event)
  })()
  return {
    events,
    ends: () => types(events).filter((type) => type === 'RUN_FINISHED').length,
    async stop() {
      stop.abort()
      await watching
    },
  }
}

/** A run by the protocol's own command, as the SDK's newer clients start it. */
async function runStart(graph: string, threadId: string): Promise<void> {
  const response = await fetch(`${server.url}/threads/${threadId}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: 1,
      method: 'run.start',
      params: { assistant_id: graph, input: say('hello') },
    }),
  })
  expect(await response.json()).toMatchObject({ type: 'success' })
}

const TOO_SLOW_MS = 60_000

test('watchThread sees run after run, and state that was written without one', async () => {
  const id = await bench.newThread()
  const { events, ends, stop } = watch('plain', id, { fastestMs: 50, slowestMs: 200 })
  await expect.poll(ends).toBe(1)
  await (await bench.start('plain', id, 'one')).finished()
  await expect.poll(() => JSON.stringify(events)).toContain('plain-2')
  await server.client.threads.updateState(id, { values: say('written') })
  await expect.poll(() => JSON.stringify(events)).toContain('u-written')
  await (await bench.start('plain', id, 'two')).finished()
  await expect.poll(() => JSON.stringify(events)).toContain('u-two')
  await stop()
  await judge(events)
})

test('a run that the thread stream announces is seen without waiting for the next look', async () => {
  const id = await bench.newThread()
  const { events, ends, stop } = watch('chat', id, { fastestMs: TOO_SLOW_MS, slowestMs: TOO_SLOW_MS })
  await expect.poll(ends).toBe(1)
  const from = performance.now()
  await runStart('chat', id)
  await expect
    .poll(() => types(events).filter((type) => type === 'RUN_STARTED').length, { interval: 5 })
    .toBe(2)
  console.info(`an announced run was seen after ${Math.round(performance.now() - from)} ms`)
  await expect.poll(ends).toBeGreaterThan(1)
  const expected = await bench.thread(id)
  expect(expected).toHaveLength(2)
  const shown = events.flatMap((event) =>
    event.type === EventType.MESSAGES_SNAPSHOT ? [event.messages] : [],
  )
  expect(shown.at(-1)).toEqual(expected)
  await stop()
  await judge(events)
})

test('a run that the thread stream says nothing of is found by looking', async () => {
  const id = await bench.newThread()
  const { events, ends, stop } = watch('chat', id, { fastestMs: 300, slowestMs: 300 })
  await expect.poll(ends).toBe(1)
  await (await bench.start('chat', id)).finished()
  await expect.poll(ends).toBeGreaterThan(1)
  const [, spoken] = await bench.thread(id)
  expect(JSON.stringify(events.at(-2))).toContain(spoken?.id)
  await stop()
  await judge(events)
})

test.each([
  ['its signal', true],
  ['a reader that leaves', false],
])('watching that is ended by %s leaves no socket and no timer', async (_name, bySignal) => {
  const id = await bench.newThread()
  await (await bench.start('chat', id)).finished()
  const resources = (): number =>
    process.getActiveResourcesInfo().filter((name) => /TCP|Timeout|Immediate/.test(name)).length
  await server.client.threads.get(id)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const before = resources()
  const stop = new AbortController()
  const all = watchThread(bench.agentOf('chat', id), {
    threadId: id,
    signal: stop.signal,
    fastestMs: TOO_SLOW_MS,
    slowestMs: TOO_SLOW_MS,
  })
  for await (const { type } of all) {
    if (type !== EventType.RUN_FINISHED) continue
    // The thread's stream is open beside what the connect has used.
    await expect.poll(resources).toBeGreaterThan(before)
    if (!bySignal) break
    setTimeout(() => stop.abort(), 50)
  }
  await expect.poll(resources).toBeLessThanOrEqual(before)
})
