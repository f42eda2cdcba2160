import type { Event } from '@ag-ui/core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ConnectableHttpAgent } from '../client/index.ts'
import { brief, judge, wire } from '../testing/judge.ts'
import { memoryThreads } from '../memory-threads.ts'
import { scriptedSource } from '../testing/scripted-source.ts'
import type { Scene } from '../testing/scripted-source.ts'
import { eventsOf, post } from '../testing/post.ts'
import { gate } from '../testing/gate.ts'
import { serveAgui } from '../testing/serve-agui.ts'
import { hello, serveScene } from '../testing/serve-scene.ts'

describe('connect', () => {
  test.each([['unknown'], ['idle']])('an %s thread is a run of snapshots', async (kind) => {
    const server = await serveScene(hello)
    const messages = [{ id: 'u1', role: 'user', content: 'Hi' }]
    if (kind === 'idle') await (await post(server.url('agent'), { threadId: 't', messages })).text()
    const events = await eventsOf(
      await post(server.url('agent/connect'), { threadId: 't', protocolVersion: '1.0' }),
    )
    await judge(events)
    expect(brief(events)).toEqual([
      'RUN_STARTED',
      'STATE_SNAPSHOT',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED success',
    ])
    expect(events[2]).toMatchObject({
      messages: kind === 'idle' ? [{ id: 'u1' }, { id: 'a1', content: 'Hello there' }] : [],
    })
  })

  test('the thread id may come as LangGraph writes it', async () => {
    const server = await serveScene(hello)
    const response = await post(server.url('agent/connect'), { config: { configurable: { thread_id: 't' } } })
    expect((await eventsOf(response))[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 't' })
  })

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'attached after %i steps of a run, a client ends with the whole of it',
    async (moment) => {
      const wait = gate()
      let count = 0
      const pass = async (): Promise<void> => {
        if (count++ === moment) await wait.arrive()
      }
      const scene: Scene = async ({ emit, say, messages }) => {
        const path = ['l']
        await pass()
        await emit({ type: 'llm_start', path, payload: { model: 'm', params: {}, node: 'model' } })
        for (const text of ['Let ', 'me see']) {
          await pass()
          await emit({ type: 'llm_token', path, payload: { text, message_id: 'a1' } })
        }
        for (const text of ['{"q":', '1}']) {
          await pass()
          const tool_call = { id: 'c1', name: 'search', index: 0 }
          await emit({ type: 'llm_token', path, payload: { text, channel: 'tool_args', tool_call } })
        }
        const message = {
          id: 'a1',
          text: 'Let me see',
          tool_calls: [{ id: 'c1', name: 'search', args: { q: 1 } }],
        }
        await emit({ type: 'llm_end', path, payload: { usage: {}, finish_reason: 'tool', message } })
        messages.push({ ...message, role: 'assistant' })
        await pass()
        const meta = { tool_call_id: 'c1' }
        await emit({
          type: 'tool_start',
          path: ['c1'],
          payload: { tool_name: 'search', kind: 'tool', args: { q: 1 }, meta },
        })
        await emit({
          type: 'tool_end',
          path: ['c1'],
          payload: { tool_name: 'search', result: 'found', status: 'ok' },
        })
        messages.push({ id: 'random', role: 'tool', text: 'found', tool_call_id: 'c1' })
        await pass()
        await say(['m'], 'a2', ['It ', 'is'])
      }
      const server = await serveScene(scene)
      const url = server.url('agent')
      const first = post(url, { threadId: 't', messages: [{ id: 'u1', role: 'user', content: 'Hi' }] })
      await wait.reached
      const clients = [
        new ConnectableHttpAgent({ url, threadId: 't' }),
        ...Array.from({ length: 3 }, () => new ConnectableHttpAgent({ url, threadId: 't' })),
      ]
      const events: Event[] = []
      const connected = clients.map((client, index) =>
        client.connectAgent({}, { onEvent: ({ event }) => void (index === 0 && events.push(wire(event))) }),
      )
      const raw = post(`${url}/connect`, { threadId: 't' })
      await expect.poll(() => events.length).toBeGreaterThan(2)
      wait.open()
      await Promise.all(connected)
      for (const client of clients) {
        expect(client.messages).toEqual([
          { id: 'u1', role: 'user', content: 'Hi' },
          {
            id: 'a1',
            role: 'assistant',
            content: 'Let me see',
            toolCalls: [{ id: 'c1', type: 'function', function: { name: 'search', arguments: '{"q":1}' } }],
          },
          { id: 'result-c1', role: 'tool', toolCallId: 'c1', content: 'found' },
          { id: 'a2', role: 'assistant', content: 'It is' },
        ])
      }
      await judge(await eventsOf(await raw))
      await (await first).text()
    },
  )

  test('a broken connection is taken up where it was cut, with nothing twice', async () => {
    const words = Array.from({ length: 60 }, (_, index) => `w${index} `)
    let cut = (): void => undefined
    const server = await serveScene(async ({ emit }) => {
      await emit({ type: 'llm_start', path: ['l'], payload: { model: 'm', params: {} } })
      for (const [index, text] of words.entries()) {
        await emit({ type: 'llm_token', path: ['l'], payload: { text, message_id: 'a1' } })
        await new Promise((resolve) => setTimeout(resolve, 2))
        if (index === 15 || index === 40) cut()
      }
    })
    cut = () => server.cut()
    const agent = new ConnectableHttpAgent({ url: server.url('agent'), threadId: 't', resumeDelayMs: 5 })
    const starts: string[] = []
    await agent.runAgent({}, { onRunStartedEvent: ({ event }) => void starts.push(event.runId) })
    expect(agent.messages).toMatchObject([{ content: words.join('') }])
    expect(starts).toHaveLength(1)
    expect(server.requests.map((request) => request.headers.get('last-event-id')?.split('@')[0])).toEqual([
      '0',
      expect.stringMatching(/^\d+$/),
      expect.stringMatching(/^\d+$/),
    ])
  })

  test('a log that cannot be read ends the run with an error, not the connection', async () => {
    const threads = memoryThreads({ agents: { agent: scriptedSource('agent', hello) } })
    const server = await serveAgui({
      threads: {
        ...threads,
        // oxlint-disable-next-line require-yield -- it breaks before there is anything
        async *read() {
          throw new Error('disk gone at /secret/path')
        },
      },
    })
    onTestFinished(() => server.close())
    const events = await eventsOf(await post(server.url('agent'), { threadId: 't', protocolVersion: '1.0' }))
    await judge(events)
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'internal' })
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  test('one that goes away leaves nothing open', async () => {
    const wait = gate()
    const open = new Set<AbortSignal>()
    const threads = memoryThreads({ agents: { agent: scriptedSource('agent', () => wait.arrive()) } })
    const server = await serveAgui({
      threads: {
        ...threads,
        async *read(thread, options) {
          open.add(options.signal)
          try {
            yield* threads.read(thread, options)
          } finally {
            open.delete(options.signal)
          }
        },
      },
    })
    onTestFinished(() => server.close())
    void post(server.url('agent'), { threadId: 't' })
    await wait.reached
    const agent = new ConnectableHttpAgent({ url: server.url('agent'), threadId: 't' })
    const connecting = agent.connectAgent({})
    await expect.poll(() => open.size).toBe(2)
    await agent.detachActiveRun()
    await connecting
    await expect.poll(() => open.size).toBe(1)
    wait.open()
  })
})
