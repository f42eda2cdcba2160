import { EventType } from '@ag-ui/core'
import type { Event, Message } from '@ag-ui/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judge, wire } from '../testing/judge.ts'
import { ConnectableLangGraphAgent, runThroughApi, watchThread } from './index.ts'
import { langGraphMessages } from './langgraph-messages.ts'
import { langGraphServer } from './testing/langgraph-server.ts'
import type { LangGraphServer } from './testing/langgraph-server.ts'

let server: LangGraphServer

beforeAll(async () => {
  server = await langGraphServer()
}, 60_000)
afterAll(() => server.close())

function agentOf(graphId: string, threadId: string): ConnectableLangGraphAgent {
  return new ConnectableLangGraphAgent({
    deploymentUrl: server.url,
    client: server.client,
    graphId,
    threadId,
  })
}

async function newThread(): Promise<string> {
  const { thread_id } = await server.client.threads.create()
  return thread_id
}

const say = (content: string): Record<string, unknown> => ({
  messages: [{ id: `u-${content}`, role: 'user', content }],
})

async function start(
  graph: string,
  threadId: string,
  text = 'hello',
  afterSeconds?: number,
): ReturnType<typeof runThroughApi> {
  return runThroughApi(server.client, {
    threadId,
    assistantId: graph,
    input: say(text),
    ...(afterSeconds !== undefined && { afterSeconds }),
  })
}

interface Seen {
  readonly events: Event[]
  readonly messages: Message[]
  readonly agent: ConnectableLangGraphAgent
}

/** Connects a client of 1.0.0 and keeps what it was sent. The run may have begun before. */
async function connected(graph: string, threadId: string, forwardedProps: object = {}): Promise<Seen> {
  const agent = agentOf(graph, threadId)
  const events: Event[] = []
  await agent.connectAgent({ forwardedProps }, { onEvent: ({ event }) => void events.push(wire(event)) })
  return { events, messages: agent.messages, agent }
}

async function thread(threadId: string): Promise<Message[]> {
  return langGraphMessages((await server.client.threads.getState(threadId)).values)
}

async function isRunning(threadId: string): Promise<void> {
  await expect
    .poll(async () => (await server.client.runs.list(threadId, { status: 'running' })).length, {
      timeout: 10_000,
      interval: 20,
    })
    .toBe(1)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const types = (events: readonly Event[]): string[] => events.map((event) => event.type)

describe('a thread at rest', () => {
  test('with messages is shown and ends', async () => {
    const id = await newThread()
    await (await start('chat', id)).finished()
    const { events, messages } = await connected('chat', id)
    expect(types(events)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
    expect(messages).toEqual(await thread(id))
    expect(messages).toHaveLength(2)
    await judge(events)
  })

  test('that is empty, or that nobody has made yet, is an empty run', async () => {
    for (const id of [await newThread(), '0192f0c1-2b7e-7cc3-98c4-dc0c0c07398f']) {
      const { events, messages } = await connected('chat', id)
      expect(types(events)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'RUN_FINISHED'])
      expect(messages).toEqual([])
      await judge(events)
    }
  })

  test('that waits for an answer says what it asks, and the answer goes on from there', async () => {
    const id = await newThread()
    await (await start('asks', id)).finished()
    const { events, messages } = await connected('asks', id)
    expect(events.find((event) => event.type === EventType.CUSTOM)).toMatchObject({
      name: 'on_interrupt',
      value: '{"question":"Sure?"}',
    })
    expect(messages).toEqual(await thread(id))
    await judge(events)
  })

  test.each([
    ['nothing', undefined, 'missing_thread_id'],
    ['what is no UUID', 'my-thread', 'invalid_thread_id'],
  ])('named by %s is a RUN_ERROR that says what to do', async (_name, threadId, code) => {
    const agent = agentOf('chat', 'x')
    const events: Event[] = []
    await new Promise<void>((resolve, reject) => {
      agent
        .connect({ threadId: threadId ?? '', runId: 'r', messages: [], tools: [], context: [] })
        .subscribe({ next: (event) => events.push(event), error: reject, complete: resolve })
    })
    expect(events).toEqual([{ type: 'RUN_ERROR', code, message: expect.stringMatching(/\. .+\.$/) }])
  })

  test('of a graph that the server does not have, or on a server that is away, is a RUN_ERROR', async () => {
    const { events } = await connected('nowhere', await newThread())
    expect(types(events)).toEqual(['RUN_STARTED', 'RUN_ERROR'])
    const away = new ConnectableLangGraphAgent({
      deploymentUrl: 'http://127.0.0.1:9',
      client: new (server.client.constructor as new (o: object) => typeof server.client)({
        apiUrl: 'http://127.0.0.1:9',
        callerOptions: { maxRetries: 0 },
      }),
      graphId: 'chat',
      threadId: await newThread(),
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
    const id = await newThread()
    await start(graph, id, text)
    await isRunning(id)
    const { events, messages } = await connected(graph, id)
    expect(messages).toEqual(await thread(id))
    expect(messages.length).toBeGreaterThan(1)
    expect(types(events).at(-1)).toBe('RUN_FINISHED')
    if (graph !== 'plain') expect(types(events)).toContain('TEXT_MESSAGE_CONTENT')
    await judge(events)
  })

  test('is waited for when it is due later', async () => {
    const id = await newThread()
    await start('chat', id, 'hello', 1)
    const { events, messages } = await connected('chat', id)
    expect(messages).toEqual(await thread(id))
    expect(messages).toHaveLength(2)
    await judge(events)
  })

  test('that fails ends as RUN_ERROR, and nothing comes after it', async () => {
    const id = await newThread()
    await start('fails', id)
    await isRunning(id)
    const { events, messages } = await connected('fails', id)
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'boom' })
    expect(messages).toEqual(await thread(id))
    await judge(events)
  })

  test('that is cancelled closes what was open', async () => {
    const id = await newThread()
    const { runId } = await start('chat', id)
    await isRunning(id)
    const agent = agentOf('chat', id)
    const events: Event[] = []
    const connecting = agent.connectAgent({}, { onEvent: ({ event }) => void events.push(wire(event)) })
    await expect.poll(() => types(events)).toContain('TEXT_MESSAGE_CONTENT')
    await server.client.runs.cancel(id, runId)
    await connecting
    expect(agent.messages).toEqual(await thread(id))
    await judge(events)
  })

  test('is cancelled by abortRun() of the agent that watches it', async () => {
    const id = await newThread()
    const { runId } = await start('chat', id)
    await isRunning(id)
    const agent = agentOf('chat', id)
    const seen: string[] = []
    const connecting = agent.connectAgent({}, { onEvent: ({ event }) => void seen.push(event.type) })
    await expect.poll(() => seen).toContain('TEXT_MESSAGE_CONTENT')
    agent.abortRun()
    await connecting
    expect((await server.client.runs.get(id, runId)).status).toBe('interrupted')
  })

  test('without a resumable stream is followed by its state, and nobody loses an event to us', async () => {
    const id = await newThread()
    const streamed: string[] = []
    const owner = (async () => {
      const stream = server.client.runs.stream(id, 'plain', { input: say('hello'), streamMode: ['values'] })
      for await (const { event } of stream) streamed.push(event)
    })()
    await isRunning(id)
    const { events, messages } = await connected('plain', id)
    await owner
    expect(streamed.filter((event) => event === 'values')).toHaveLength(3)
    expect(messages).toEqual(await thread(id))
    await judge(events)
  })

  test('with nothing but states in its stream is shown state by state', async () => {
    const id = await newThread()
    await server.client.runs.create(id, 'plain', {
      input: say('hello'),
      streamMode: ['values'],
      streamResumable: true,
    })
    await isRunning(id)
    const { events, messages } = await connected('plain', id)
    const lengths = events.flatMap((event) =>
      event.type === EventType.MESSAGES_SNAPSHOT ? [event.messages.length] : [],
    )
    expect(new Set(lengths).size).toBeGreaterThan(1)
    expect(messages).toEqual(await thread(id))
    await judge(events)
  })

  test('is seen whole by ten clients', async () => {
    const id = await newThread()
    await start('tools', id, 'look up')
    const all = await Promise.all(Array.from({ length: 10 }, () => connected('tools', id)))
    const expected = await thread(id)
    for (const { messages } of all) expect(messages).toEqual(expected)
  })
})

/** What a client would show just before the last snapshot puts everything right. */
function streamedText(events: readonly Event[]): {
  text: Map<string, string>
  args: Map<string, string>
  results: Map<string, number>
} {
  const text = new Map<string, string>()
  const args = new Map<string, string>()
  const results = new Map<string, number>()
  const last = events.findLastIndex((event) => event.type === EventType.MESSAGES_SNAPSHOT)
  for (const event of events.slice(0, last)) {
    if (event.type === EventType.MESSAGES_SNAPSHOT) {
      for (const message of event.messages) {
        if (message.role === 'assistant') {
          text.set(message.id, message.content ?? '')
          for (const call of message.toolCalls ?? []) args.set(call.id, call.function.arguments)
        }
        if (message.role === 'tool') results.set(message.toolCallId, 1)
      }
    }
    if (event.type === EventType.TEXT_MESSAGE_CONTENT)
      text.set(event.messageId, (text.get(event.messageId) ?? '') + event.delta)
    if (event.type === EventType.TOOL_CALL_ARGS)
      args.set(event.toolCallId, (args.get(event.toolCallId) ?? '') + event.delta)
    if (event.type === EventType.TOOL_CALL_RESULT)
      results.set(event.toolCallId, (results.get(event.toolCallId) ?? 0) + 1)
  }
  return { text, args, results }
}

test(
  'attached at 20 moments of a tool loop, text, arguments and results are neither doubled nor cut',
  { timeout: 180_000 },
  async () => {
    let live = 0
    for (let index = 0; index < 20; index++) {
      const id = await newThread()
      await start('tools', id, 'look up')
      await isRunning(id)
      await pause(index * 60)
      const { events, messages } = await connected('tools', id)
      const expected = await thread(id)
      expect(messages).toEqual(expected)
      await judge(events)
      const { text, args, results } = streamedText(events)
      if (types(events).includes('TEXT_MESSAGE_CONTENT')) live += 1
      else continue
      for (const message of expected) {
        if (message.role === 'assistant') {
          expect(text.get(message.id)).toBe(message.content)
          for (const call of message.toolCalls ?? []) expect(args.get(call.id)).toBe(call.function.arguments)
        }
        if (message.role === 'tool') expect(results.get(message.toolCallId)).toBe(1)
      }
    }
    console.info(`attached live in ${live} of 20`)
    expect(live).toBeGreaterThan(10)
  },
)

test('one that comes back with its last event id is told the rest, once', { timeout: 60_000 }, async () => {
  const id = await newThread()
  const { runId, finished } = await start('tools', id, 'look up')
  await finished()
  const raw: { id: string; event: string; data: unknown }[] = []
  for await (const chunk of server.client.runs.joinStream(id, runId, { lastEventId: '-1' }))
    raw.push({ id: String(chunk.id), event: chunk.event, data: chunk.data })
  expect(raw.length).toBeGreaterThan(50)

  const second = await newThread()
  await start('tools', second, 'look up')
  await isRunning(second)
  const first = agentOf('tools', second)
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
  const { text, args, results } = streamedText(events)
  for (const message of await thread(second)) {
    if (message.role === 'assistant') {
      expect(text.get(message.id)).toBe(message.content)
      for (const call of message.toolCalls ?? []) expect(args.get(call.id)).toBe(call.function.arguments)
    }
    if (message.role === 'tool') expect(results.get(message.toolCallId)).toBe(1)
  }
  await judge(events.slice(before))
})

test(
  'watchThread sees run after run, and state that was written without one',
  { timeout: 60_000 },
  async () => {
    const id = await newThread()
    const stop = new AbortController()
    const events: Event[] = []
    const watching = (async () => {
      for await (const event of watchThread(agentOf('plain', id), {
        threadId: id,
        signal: stop.signal,
        fastestMs: 50,
        slowestMs: 200,
      }))
        events.push(event)
    })()
    const ends = (): number => types(events).filter((type) => type === 'RUN_FINISHED').length
    await expect.poll(ends).toBe(1)
    await (await start('plain', id, 'one')).finished()
    await expect.poll(() => JSON.stringify(events), { timeout: 10_000 }).toContain('plain-2')
    await server.client.threads.updateState(id, { values: say('written') })
    await expect.poll(() => JSON.stringify(events), { timeout: 10_000 }).toContain('u-written')
    await (await start('plain', id, 'two')).finished()
    await expect.poll(() => JSON.stringify(events), { timeout: 10_000 }).toContain('u-two')
    stop.abort()
    await watching
    await judge(events)
  },
)

test('leaving ends every request, timer and listener', { timeout: 60_000 }, async () => {
  const id = await newThread()
  await start('chat', id)
  await isRunning(id)
  const resources = (): string[] =>
    process.getActiveResourcesInfo().filter((name) => /TCP|Timeout|Immediate/.test(name))
  await server.client.threads.get(id)
  await pause(50)
  const before = resources().length
  const seen: string[] = []
  const subscription = agentOf('chat', id)
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
