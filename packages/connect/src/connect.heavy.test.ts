import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import { Client } from '@langchain/langgraph-sdk'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { judge, wire } from '@clewline/agui/testing'
import { ConnectableLangGraphAgent, runThroughApi } from './index.ts'
import { connectBench, say, types } from './testing/connect-bench.ts'
import type { ConnectBench } from './testing/connect-bench.ts'
import { langGraphServer } from './testing/langgraph-server.ts'
import type { LangGraphServer } from './testing/langgraph-server.ts'
import { streamed } from './testing/streamed.ts'

let server: LangGraphServer
let bench: ConnectBench

beforeAll(async () => {
  server = await langGraphServer()
  bench = connectBench(server)
}, 60_000)
afterAll(() => server.close())

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a thread at rest', () => {
  test('with messages is shown and ends', async () => {
    const id = await bench.newThread()
    await (await bench.start('chat', id)).finished()
    const { events, messages } = await bench.connected('chat', id)
    expect(types(events)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
    expect(messages).toEqual(await bench.thread(id))
    expect(messages).toHaveLength(2)
    await judge(events)
  })

  test('that is empty, or that nobody has made yet, is an empty run', async () => {
    for (const id of [await bench.newThread(), '0192f0c1-2b7e-7cc3-98c4-dc0c0c07398f']) {
      const { events, messages } = await bench.connected('chat', id)
      expect(types(events)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'RUN_FINISHED'])
      expect(messages).toEqual([])
      await judge(events)
    }
  })

  test('that waits for an answer says what it asks, and the answer goes on from there', async () => {
    const id = await bench.newThread()
    await (await bench.start('asks', id)).finished()
    const { events, messages } = await bench.connected('asks', id)
    expect(events.find((event) => event.type === EventType.CUSTOM)).toMatchObject({
      name: 'on_interrupt',
      value: '{"question":"Sure?"}',
    })
    expect(messages).toEqual(await bench.thread(id))
    await judge(events)

    const { run_id } = await server.client.runs.create(id, 'asks', { command: { resume: 'yes' } })
    await server.client.runs.join(id, run_id)
    const after = await bench.connected('asks', id)
    expect(types(after.events)).not.toContain('CUSTOM')
    expect(after.events.find((event) => event.type === EventType.STATE_SNAPSHOT)).toMatchObject({
      snapshot: { note: 'yes' },
    })
  })

  test('whose schema does not come is not waited for when it holds nothing but messages, and leaves no timer', async () => {
    const id = await bench.newThread()
    await (await bench.start('chat', id)).finished()
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    onTestFinished(() => silent.close().closeAllConnections())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    let asked = 0
    const schemasAreSilent = (url: string, init?: RequestInit): Promise<Response> => {
      if (!url.endsWith('/schemas')) return fetch(url, init)
      asked += 1
      return fetch(`http://127.0.0.1:${port}`, init)
    }
    const agent = new ConnectableLangGraphAgent({
      deploymentUrl: server.url,
      // Tries again what fails, as a client does unless it is told otherwise.
      client: new Client({ apiUrl: server.url, callerOptions: { fetch: schemasAreSilent } }),
      graphId: 'chat',
      threadId: id,
    })
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    // Measured as it is below: a poll has timers of its own.
    let before = 0
    await expect.poll(() => (before = timers())).toBeGreaterThan(0)
    const began = performance.now()
    await agent.connectAgent()
    // An answer is waited for for 10 s, where it would change what is shown.
    expect(performance.now() - began).toBeLessThan(9000)
    expect(agent.messages).toEqual(await bench.thread(id))
    // Ten times less than the SDK's first sleep before it tries again.
    await expect.poll(timers, { timeout: 100, interval: 10 }).toBeLessThanOrEqual(before)
    expect(asked).toBe(1)
  })

  test('of a graph that the server does not have, or on a server that is away, is a RUN_ERROR', async () => {
    const { events } = await bench.connected('nowhere', await bench.newThread())
    expect(types(events)).toEqual(['RUN_STARTED', 'RUN_ERROR'])
    const away = new ConnectableLangGraphAgent({
      deploymentUrl: 'http://127.0.0.1:9',
      client: new Client({ apiUrl: 'http://127.0.0.1:9', callerOptions: { maxRetries: 0 } }),
      graphId: 'chat',
      threadId: await bench.newThread(),
    })
    const seen: string[] = []
    await away.connectAgent({}, { onEvent: ({ event }) => void seen.push(event.type) })
    expect(seen).toEqual(['RUN_ERROR'])
  })
})

describe('a run that is going on', () => {
  test.each([
    ['chat', 'hello'],
    ['tools', 'look up'],
    ['parallel', 'hello'],
    ['nested', 'hello'],
    ['fanout', 'hello'],
    ['asks', 'hello'],
    ['plain', 'hello'],
  ])('of graph %s is followed to its end', async (graph, text) => {
    const id = await bench.newThread()
    await bench.start(graph, id, text)
    await bench.isRunning(id)
    const { events, messages } = await bench.connected(graph, id)
    expect(messages).toEqual(await bench.thread(id))
    expect(messages.length).toBeGreaterThan(1)
    expect(types(events).at(-1)).toBe('RUN_FINISHED')
    if (graph !== 'plain') expect(types(events)).toContain('TEXT_MESSAGE_CONTENT')
    await judge(events)
  })

  test('is waited for when it is due later', async () => {
    const id = await bench.newThread()
    await bench.start('chat', id, 'hello', 1)
    const { events, messages } = await bench.connected('chat', id)
    expect(messages).toEqual(await bench.thread(id))
    expect(messages).toHaveLength(2)
    await judge(events)
  })

  test('that fails ends as RUN_ERROR, and nothing comes after it', async () => {
    const id = await bench.newThread()
    await bench.start('fails', id)
    await bench.isRunning(id)
    const { events, messages } = await bench.connected('fails', id)
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'boom' })
    expect(messages).toEqual(await bench.thread(id))
    await judge(events)
  })

  test('that is cancelled closes what was open', async () => {
    const id = await bench.newThread()
    const { runId } = await bench.start('chat', id)
    await bench.isRunning(id)
    const agent = bench.agentOf('chat', id)
    const events: Event[] = []
    const connecting = agent.connectAgent({}, { onEvent: ({ event }) => void events.push(wire(event)) })
    await expect.poll(() => types(events)).toContain('TEXT_MESSAGE_CONTENT')
    await server.client.runs.cancel(id, runId)
    await connecting
    expect(agent.messages).toEqual(await bench.thread(id))
    await judge(events)
  })

  test('is cancelled by abortRun() of the agent that watches it', async () => {
    const id = await bench.newThread()
    const { runId } = await bench.start('chat', id)
    await bench.isRunning(id)
    const agent = bench.agentOf('chat', id)
    const seen: string[] = []
    const connecting = agent.connectAgent({}, { onEvent: ({ event }) => void seen.push(event.type) })
    await expect.poll(() => seen).toContain('TEXT_MESSAGE_CONTENT')
    agent.abortRun()
    await connecting
    expect((await server.client.runs.get(id, runId)).status).toBe('interrupted')
  })

  test('without a resumable stream is followed by its state, and nobody loses an event to us', async () => {
    const id = await bench.newThread()
    const streamed: string[] = []
    const owner = (async () => {
      const stream = server.client.runs.stream(id, 'plain', { input: say('hello'), streamMode: ['values'] })
      for await (const { event } of stream) streamed.push(event)
    })()
    await bench.isRunning(id)
    const { events, messages } = await bench.connected('plain', id)
    await owner
    expect(streamed.filter((event) => event === 'values')).toHaveLength(3)
    expect(messages).toEqual(await bench.thread(id))
    await judge(events)
  })

  test('without states in its stream, or any form that can be read, is followed by its state', async () => {
    const id = await bench.newThread()
    await server.client.runs.create(id, 'plain', {
      input: say('hello'),
      streamMode: ['updates'],
      streamResumable: true,
    })
    await bench.isRunning(id)
    const { events, messages } = await bench.connected('plain', id)
    expect(types(events).filter((type) => type === 'MESSAGES_SNAPSHOT').length).toBeGreaterThan(1)
    expect(messages).toEqual(await bench.thread(id))
    await judge(events)
  })

  test('with nothing but states in its stream is shown state by state', async () => {
    const id = await bench.newThread()
    await server.client.runs.create(id, 'plain', {
      input: say('hello'),
      streamMode: ['values'],
      streamResumable: true,
    })
    await bench.isRunning(id)
    const { events, messages } = await bench.connected('plain', id)
    const lengths = events.flatMap((event) =>
      event.type === EventType.MESSAGES_SNAPSHOT ? [event.messages.length] : [],
    )
    expect(new Set(lengths).size).toBeGreaterThan(1)
    expect(messages).toEqual(await bench.thread(id))
    await judge(events)
  })

  test('is seen whole by ten clients', async () => {
    const id = await bench.newThread()
    await bench.start('tools', id, 'look up')
    const all = await Promise.all(Array.from({ length: 10 }, () => bench.connected('tools', id)))
    const expected = await bench.thread(id)
    for (const { messages } of all) expect(messages).toEqual(expected)
  })
})

test('one that comes back with its last event id is told the rest, once', { timeout: 60_000 }, async () => {
  const id = await bench.newThread()
  const { runId, finished } = await bench.start('tools', id, 'look up')
  await finished()
  const raw: { id: string; event: string; data: unknown }[] = []
  for await (const chunk of server.client.runs.joinStream(id, runId, { lastEventId: '-1' }))
    raw.push({ id: String(chunk.id), event: chunk.event, data: chunk.data })
  expect(raw.length).toBeGreaterThan(50)

  const second = await bench.newThread()
  await bench.start('tools', second, 'look up')
  await bench.isRunning(second)
  const first = bench.agentOf('tools', second)
  const events: Event[] = []
  const subscription = first
    .connect({ threadId: second, runId: 'r', messages: [], tools: [], context: [] })
    .subscribe((event) => events.push(event))
  await expect.poll(() => types(events), { interval: 5 }).toContain('TOOL_CALL_ARGS')
  subscription.unsubscribe()
  const cursor = first.lastEventId
  expect(cursor).toMatch(/^\d+$/)
  const before = events.length
  await new Promise<void>((resolve) => {
    first
      .connect({
        threadId: second,
        runId: 'r',
        messages: [],
        tools: [],
        context: [],
        forwardedProps: { lastEventId: cursor },
      })
      .subscribe({ next: (event) => events.push(event), complete: resolve })
  })
  const { text, args, results } = streamed(events)
  for (const message of await bench.thread(second)) {
    if (message.role === 'assistant') {
      expect(text.get(message.id)).toBe(message.content)
      for (const call of message.toolCalls ?? []) expect(args.get(call.id)).toBe(call.function.arguments)
    }
    if (message.role === 'tool') expect(results.get(message.toolCallId)).toBe(1)
  }
  await judge(events.slice(before))
})

test('leaving ends every request, timer and listener', { timeout: 60_000 }, async () => {
  const id = await bench.newThread()
  await bench.start('chat', id)
  await bench.isRunning(id)
  const resources = (): string[] =>
    process.getActiveResourcesInfo().filter((name) => /TCP|Timeout|Immediate/.test(name))
  await server.client.threads.get(id)
  await sleep(50)
  const before = resources().length
  const seen: string[] = []
  const subscription = bench
    .agentOf('chat', id)
    .connect({ threadId: id, runId: 'r', messages: [], tools: [], context: [] })
    .subscribe((event) => seen.push(event.type))
  await expect.poll(() => seen).toContain('TEXT_MESSAGE_CONTENT')
  subscription.unsubscribe()
  const count = seen.length
  await expect.poll(() => resources().length, { timeout: 10_000 }).toBeLessThanOrEqual(before)
  expect(seen).toHaveLength(count)
})

test(
  'a server that goes away in mid-run is a RUN_ERROR, and nothing is left open',
  { timeout: 60_000 },
  async () => {
    const doomed = await langGraphServer(20)
    const { thread_id: id } = await doomed.client.threads.create()
    await runThroughApi(doomed.client, { threadId: id, assistantId: 'chat', input: say('hello') })
    const agent = new ConnectableLangGraphAgent({
      deploymentUrl: doomed.url,
      client: doomed.client,
      graphId: 'chat',
      threadId: id,
    })
    const events: Event[] = []
    const connecting = agent.connectAgent({}, { onEvent: ({ event }) => void events.push(wire(event)) })
    await expect.poll(() => types(events), { timeout: 20_000 }).toContain('TEXT_MESSAGE_CONTENT')
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    await doomed.close()
    await connecting
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'connect_failed' })
    await judge(events)
    await expect.poll(timers, { timeout: 10_000 }).toBeLessThanOrEqual(before)
  },
)
