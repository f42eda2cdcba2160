import { setTimeout as sleep } from 'node:timers/promises'
import { MessagesAnnotation, END, START, StateGraph } from '@langchain/langgraph'
import { expect, onTestFinished, test } from 'vitest'
import type { ClewlineOptions } from '../create-clewline.ts'
import { openStore } from '../store/open-store.ts'
import { userSays } from '../testing/chat-graph.ts'
import { type Service, startService } from '../testing/start-service.ts'
import { testStore } from '../testing/test-store.ts'

/** An agent that waits, as most do, until it is stopped. */
const sleeper = new StateGraph(MessagesAnnotation)
  .addNode('sleep', async (_state, { signal }) => {
    await sleep(600_000, undefined, signal === undefined ? {} : { signal })
    return {}
  })
  .addEdge(START, 'sleep')
  .addEdge('sleep', END)
  .compile()

const service = (options: Partial<ClewlineOptions> = {}): Promise<Service> =>
  startService({
    agents: { sleeper },
    authenticate: (request) => ({ id: request.headers.get('x-user') ?? 'anna' }),
    stopGraceMs: 50,
    ...options,
  })

interface Tenant {
  /** Starts a run on a thread of its own; the status of the response, and of the run. */
  readonly start: (more?: object) => Promise<{ status: number; code?: unknown; retryAfter: string | null }>
  readonly running: () => Promise<number>
  readonly call: (method: string, path: string, body?: unknown) => ReturnType<Service['call']>
}

function tenant({ call, clewline }: Service, name: string): Tenant {
  const as = (method: string, path: string, body?: unknown) => call(method, path, body, { 'x-user': name })
  return {
    call: as,
    async start(more = {}) {
      const { thread_id } = await clewline.threads.create({}, name)
      const path = `/api/threads/${thread_id}/runs`
      const { status, headers, body } = await as('POST', path, {
        agent: 'sleeper',
        input: userSays('x'),
        ...more,
      })
      const { code } = Object(body['error'])
      return { status, code, retryAfter: headers.get('retry-after') }
    },
    running: async () => (await clewline.runs.unfinished('running', 1_000, name)).length,
  }
}

const times = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)

test("a flood of one owner's runs that never end leaves room for those of another, and of the next", async () => {
  const server = await service({ concurrency: 8 })
  const [anna, ben, cleo] = [tenant(server, 'anna'), tenant(server, 'ben'), tenant(server, 'cleo')]
  for (const _ of times(40)) await anna.start()
  await expect.poll(anna.running).toBe(4)
  for (const _ of times(40)) await ben.start()
  await expect.poll(ben.running).toBe(2)
  await cleo.start()
  await expect.poll(cleo.running).toBe(1)
  expect(await anna.running()).toBe(4)
})

test('without authentication one caller may have all slots', async () => {
  const { clewline } = await startService({ agents: { sleeper }, concurrency: 4, stopGraceMs: 50 })
  for (const i of times(6)) {
    await clewline.threads.create({ thread_id: `t${i}` })
    await clewline.runs.create(`t${i}`, { agent: 'sleeper', input: userSays('x') })
  }
  await expect.poll(async () => (await clewline.runs.unfinished('running')).length).toBe(4)
})

test('limits are those of the owner: concurrency, pending runs and a bounded priority', async () => {
  const server = await service({
    limits: (owner) => (owner === 'anna' ? { concurrency: 2, pending: 3, maxPriority: 'normal' } : {}),
  })
  const [anna, ben] = [tenant(server, 'anna'), tenant(server, 'ben')]
  for (const _ of times(2)) expect(await anna.start()).toMatchObject({ status: 202 })
  await expect.poll(anna.running).toBe(2)
  for (const _ of times(3)) expect(await anna.start({ priority: 'high' })).toMatchObject({ status: 202 })
  expect(await anna.start()).toEqual({ status: 429, code: 'rate-limited', retryAfter: '5' })
  const { body } = await anna.call('GET', '/api/runs?status=pending')
  expect(body['runs']).toMatchObject(times(3).map(() => ({ priority: 'normal' })))
  for (const _ of times(6)) expect(await ben.start({ priority: 'high' })).toMatchObject({ status: 202 })
  await expect.poll(ben.running).toBe(6)
  expect(await anna.running()).toBe(2)
  const metrics = await server.clewline.metrics.registry.metrics()
  expect(metrics).toContain('clewline_queue_pending{owner="anna"} 3')
  expect(metrics).toContain('clewline_refusals_total{reason="pending"} 1')
})

test('a request that is repeated with its run_id counts once', async () => {
  const server = await service({ limits: { runsPerMinute: 1 } })
  const anna = tenant(server, 'anna')
  await server.clewline.threads.create({ thread_id: 't' }, 'anna')
  const again = () =>
    anna.call('POST', '/api/threads/t/runs', { agent: 'sleeper', input: userSays('x'), run_id: 'r' })
  expect((await again()).status).toBe(202)
  expect((await again()).status).toBe(202)
  const { status, code, retryAfter } = await anna.start()
  expect({ status, code }).toEqual({ status: 429, code: 'rate-limited' })
  expect(Number(retryAfter)).toBeGreaterThan(50)
  expect(await tenant(server, 'ben').start()).toMatchObject({ status: 202 })
})

test('requests, streams, crons and bytes of the log have limits, each refused with what to do', async () => {
  const server = await service({ limits: { readers: 1, crons: 1, requestsPerSecond: 20, logBytes: 1 } })
  const anna = tenant(server, 'anna')
  await server.clewline.threads.create({ thread_id: 't' }, 'anna')
  const headers = { 'x-user': 'anna' }
  const reading = new AbortController()
  const stream = await fetch(`${server.url}/api/threads/t/events`, { headers, signal: reading.signal })
  expect(stream.status).toBe(200)
  expect(await anna.call('GET', '/api/events')).toMatchObject({ status: 429 })
  reading.abort()
  await expect
    .poll(async () => (await anna.call('GET', '/api/threads/t/events?follow=false')).status, {
      interval: 200,
    })
    .toBe(200)

  const cron = { schedule: '0 0 1 1 *', agent: 'sleeper', input: {} }
  expect((await anna.call('POST', '/api/crons', cron)).status).toBe(201)
  expect(await anna.call('POST', '/api/crons', cron)).toMatchObject({
    status: 403,
    body: { error: { code: 'forbidden', hint: expect.stringContaining('Delete one') } },
  })

  const { thread_id } = await server.clewline.threads.import([], {}, 'anna')
  await server.clewline.log.append(thread_id, [
    {
      type: 'warning',
      ts: 1,
      trace_id: 't',
      run_id: 'r',
      call_id: 'c',
      parent_id: null,
      seq: 1,
      origin: 'replay',
      agent: 'a',
      payload: { code: 'silent-call', message: 'x' },
    },
  ])
  expect(await anna.start()).toMatchObject({ status: 403, code: 'forbidden' })

  const began = performance.now()
  const statuses = await Promise.all(
    times(300).map(async () => (await anna.call('GET', '/api/crons')).status),
  )
  const seconds = (performance.now() - began) / 1000
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(40 + 20 * seconds)
  expect(statuses).toContain(429)
  expect((await tenant(server, 'ben').call('GET', '/api/crons')).status).toBe(200)
  expect((await anna.call('GET', '/ok')).status).toBe(200)
})

test('a process under pressure takes no more runs than one until it is over', async () => {
  const server = await service()
  const anna = tenant(server, 'anna')
  let isBusy = true
  const block = (): void => {
    const until = performance.now() + 700
    while (performance.now() < until);
    if (isBusy) setTimeout(block, 20)
  }
  block()
  await expect
    .poll(async () => (await server.clewline.metrics.registry.metrics()).includes('claims_paused 1'))
    .toBe(true)
  await Promise.all(times(6).map(() => anna.start()))
  expect(await anna.running()).toBeLessThan(6)
  isBusy = false
  await expect.poll(anna.running).toBe(6)
})

test('requests at once do not get past a limit together, nor does a restart forget what waits', async () => {
  const store = await openStore(await testStore())
  onTestFinished(() => store.close())
  // As across a network: between what a process reads and what it writes, others read.
  const late = async (count: Promise<number>): Promise<number> => {
    const found = await count
    await sleep(10)
    return found
  }
  const remote = {
    ...store,
    runs: { ...store.runs, pendingOf: (...of: [string | null, number]) => late(store.runs.pendingOf(...of)) },
    crons: { ...store.crons, count: (owner: string | null) => late(store.crons.count(owner)) },
    close: async () => {},
  }
  const options = { store: remote, concurrency: 0, limits: { pending: 3, crons: 2 } }
  const anna = tenant(await service(options), 'anna')
  const started = await Promise.all(times(12).map(() => anna.start()))
  expect(started.filter(({ status }) => status === 202)).toHaveLength(3)
  expect(started.filter(({ status }) => status === 429)).toHaveLength(9)
  const cron = { agent: 'sleeper', schedule: '0 0 1 1 *', input: userSays('x') }
  const crons = await Promise.all(times(8).map(() => anna.call('POST', '/api/crons', cron)))
  expect(crons.filter(({ status }) => status === 201)).toHaveLength(2)
  const next = tenant(await service(options), 'anna')
  expect(await next.start()).toMatchObject({ status: 429 })
  expect((await next.call('POST', '/api/crons', cron)).status).toBe(403)
})
