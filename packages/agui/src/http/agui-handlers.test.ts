import { HttpAgent } from '@ag-ui/client'
import { HttpAgent as HttpAgentV0 } from '@ag-ui/client-v0'
import { HttpAgent as HttpAgentV37 } from '@ag-ui/client-v37'
import type { Event } from '@ag-ui/core'
import { afterEach, describe, expect, test } from 'vitest'
import { ConnectableHttpAgent } from '../client/index.ts'
import { brief, judge } from '../testing/judge.ts'
import { memoryThreads } from '../testing/memory-threads.ts'
import { scriptedSource } from '../testing/scripted-source.ts'
import type { Scene } from '../testing/scripted-source.ts'
import { serveAgui } from '../testing/serve-agui.ts'
import type { AguiServer } from '../testing/serve-agui.ts'

const servers: AguiServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function serving(
  scene: Scene,
  options: { maxBodyBytes?: number; forward?: string[] } = {},
): Promise<AguiServer> {
  const threads = memoryThreads({ agents: { agent: scriptedSource('agent', scene) } })
  const server = await serveAgui({ threads, ...options })
  servers.push(server)
  return server
}

const hello: Scene = async ({ say, messages }) => {
  await say([`l${messages.length}`], `a${messages.length}`, ['Hel', 'lo ', 'there'])
}

/** Opens a gate once, from a test, for a scene that waits at it. */
function gate(): {
  readonly opened: Promise<void>
  open(): void
  readonly reached: Promise<void>
  arrive(): Promise<void>
} {
  let open = (): void => undefined
  let reach = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  return {
    opened,
    open: () => open(),
    reached,
    arrive() {
      reach()
      return opened
    },
  }
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

function parseSse(text: string): Event[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as Event)
}

async function eventsOf(response: Response): Promise<Event[]> {
  return parseSse(await response.text())
}

describe('run', () => {
  test.each([
    ['1.0.0', HttpAgent],
    ['0.0.59', HttpAgentV0],
    ['0.0.37', HttpAgentV37],
    ['ours', ConnectableHttpAgent],
  ])('HttpAgent %s holds a conversation over HTTP', async (_version, Agent) => {
    const server = await serving(hello)
    const agent = new Agent({ url: server.url('agent'), threadId: 'thread' })
    agent.messages = [{ id: 'u1', role: 'user', content: 'Hi' }]
    await agent.runAgent({})
    agent.messages.push({ id: 'u2', role: 'user', content: 'Again' })
    await agent.runAgent({})
    expect(agent.messages.map(({ id, content }) => [id, content])).toEqual([
      ['u1', 'Hi'],
      ['a1', 'Hello there'],
      ['u2', 'Again'],
      ['a3', 'Hello there'],
    ])
  })

  test('only what the client changed in the state reaches the agent, and the state comes back as a snapshot', async () => {
    const inputs: unknown[] = []
    const server = await serving(async ({ request, values, emit }) => {
      inputs.push(request.kind === 'input' ? request.input : null)
      values['count'] = 1
      values['list'] = ['a']
      await emit({
        type: 'tool_update',
        path: [],
        payload: { tool_name: 'agent', delta: { state: { count: 1, list: ['a'] } } },
      })
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't', initialState: { mine: true } })
    await agent.runAgent({})
    expect(agent.state).toEqual({ mine: true, count: 1, list: ['a'] })
    agent.state = { ...agent.state, count: 2 }
    await agent.runAgent({})
    expect(inputs).toEqual([
      { messages: [], mine: true },
      { messages: [], mine: true, count: 2 },
    ])
  })

  test('an interrupt is the outcome, and its answer resumes the run by id', async () => {
    const answers: unknown[] = []
    const server = await serving(async ({ request, emit, say }) => {
      if (request.kind === 'resume') {
        answers.push(request.answers)
        return void (await say(['l'], 'a1', ['Done']))
      }
      const interrupts = [{ id: 'i1', value: { question: 'Sure?' } }]
      const payload = { checkpoint_id: 'c', node: 'n', state_digest: '', interrupts }
      await emit({ type: 'subgraph_checkpoint', path: [], payload })
      return { status: 'interrupted', interrupts }
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't' })
    await agent.runAgent({})
    expect(agent.pendingInterrupts).toMatchObject([{ id: 'i1', message: 'Sure?' }])
    const later = new ConnectableHttpAgent({ url: server.url('agent'), threadId: 't' })
    await later.connectAgent({})
    expect(later.pendingInterrupts).toMatchObject([{ id: 'i1' }])
    await later.runAgent({ resume: [{ interruptId: 'i1', status: 'resolved', payload: { yes: true } }] })
    expect(answers).toEqual([[{ interrupt_id: 'i1', value: { yes: true } }]])
    expect(later.messages.at(-1)).toMatchObject({ id: 'a1', content: 'Done' })
  })

  test('a client before 1.0 answers as CopilotKit used to', async () => {
    const answers: unknown[] = []
    const server = await serving(async ({ request, emit }) => {
      if (request.kind === 'resume') return void answers.push(request.answers)
      const interrupts = [{ id: 'i1', value: 'Sure?' }]
      const payload = { checkpoint_id: 'c', node: 'n', state_digest: '', interrupts }
      await emit({ type: 'subgraph_checkpoint', path: [], payload })
      return { status: 'interrupted', interrupts }
    })
    const asked: unknown[] = []
    const agent = new HttpAgentV37({ url: server.url('agent'), threadId: 't' })
    await agent.runAgent({}, { onCustomEvent: ({ event }) => void asked.push(event.value) })
    await agent.runAgent({ forwardedProps: { command: { resume: 'yes' } } })
    expect([asked, answers]).toEqual([['Sure?'], [[{ value: 'yes' }]]])
  })

  test('tools of the client reach the agent, and a call to one is pending until its result comes', async () => {
    const seen: unknown[] = []
    const server = await serving(async ({ request, emit, messages }) => {
      seen.push([request.tools?.map((tool) => tool.name), messages.at(-1)?.text])
      if (messages.at(-1)?.role === 'tool') return
      const path = ['c1']
      await emit({
        type: 'tool_start',
        path,
        payload: { tool_name: 'pick', kind: 'tool', args: {}, meta: { tool_call_id: 'c1' } },
      })
      await emit({
        type: 'tool_end',
        path,
        payload: { tool_name: 'pick', result: null, status: 'pending_frontend' },
      })
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't' })
    const tools = [{ name: 'pick', description: 'Pick one', parameters: { type: 'object' } }]
    const outcomes: unknown[] = []
    agent.messages = [{ id: 'u1', role: 'user', content: 'Pick' }]
    await agent.runAgent({ tools }, { onRunFinishedEvent: ({ event }) => void outcomes.push(event.outcome) })
    agent.messages = [...agent.messages, { id: 'r1', role: 'tool', toolCallId: 'c1', content: 'red' }]
    await agent.runAgent({ tools })
    expect(outcomes).toEqual([{ type: 'success', pendingToolCallIds: ['c1'] }])
    expect(seen).toEqual([
      [['pick'], 'Pick'],
      [['pick'], 'red'],
    ])
  })

  test('a second run on a busy thread is refused with a hint', async () => {
    const wait = gate()
    const server = await serving(() => wait.arrive())
    const first = post(server.url('agent'), { threadId: 't' })
    await wait.reached
    const second = await post(server.url('agent'), { threadId: 't' })
    expect([second.status, await second.json()]).toMatchObject([
      409,
      { error: { code: 'busy', hint: expect.any(String) } },
    ])
    wait.open()
    await (await first).text()
  })

  test('a run goes on when its client leaves', async () => {
    const wait = gate()
    const server = await serving(async ({ say }) => {
      await wait.arrive()
      await say(['l'], 'a1', ['still', ' here'])
    })
    const leaving = new AbortController()
    const left = fetch(server.url('agent'), {
      method: 'POST',
      body: '{"threadId":"t"}',
      signal: leaving.signal,
    })
    await (await left).body?.getReader().read()
    await wait.reached
    leaving.abort()
    wait.open()
    const agent = new ConnectableHttpAgent({ url: server.url('agent'), threadId: 't' })
    await agent.connectAgent({})
    expect(agent.messages).toMatchObject([{ id: 'a1', content: 'still here' }])
  })

  test('a failure is a RUN_ERROR after everything is closed', async () => {
    const server = await serving(async ({ emit }) => {
      await emit({ type: 'llm_start', path: ['l'], payload: { model: 'm', params: {} } })
      await emit({ type: 'llm_token', path: ['l'], payload: { text: 'Hel' } })
      throw new Error('boom')
    })
    const events = await eventsOf(await post(server.url('agent'), { threadId: 't', protocolVersion: '1.0' }))
    await judge(events)
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', message: 'boom' })
  })

  test('what a failed attempt had said is gone from the client when the run ends', async () => {
    const server = await serving(async ({ emit, say }) => {
      await emit({ type: 'llm_start', path: ['l'], payload: { model: 'm', params: {} } })
      await emit({ type: 'llm_token', path: ['l'], payload: { text: 'Wro', message_id: 'lost' } })
      const payload = { name: 'm', message: 'overloaded', stack: '', class: 'Error' }
      await emit({ type: 'error', path: ['l'], payload })
      await say(['l'], 'kept', ['Right'])
    })
    const agent = new HttpAgent({ url: server.url('agent'), threadId: 't' })
    agent.messages = [{ id: 'u1', role: 'user', content: 'Hi' }]
    await agent.runAgent({})
    expect(agent.messages.map(({ id }) => id)).toEqual(['u1', 'kept'])
  })

  test('a token costs at most 120 bytes', async () => {
    const pieces = Array.from({ length: 2000 }, (_, index) => `tok${index % 10} `)
    // Each piece in a turn of its own, as from a model: joined pieces would flatter the figure.
    const server = await serving(async ({ emit, context }) => {
      const id = 'run-0192f0c1-2b7e-7cc3-98c4-dc0c0c07398f'
      await emit({ type: 'llm_start', path: ['l'], payload: { model: 'm', params: {} } })
      for (const [index, text] of pieces.entries()) {
        await emit({
          type: 'llm_token',
          path: ['l'],
          payload: index === 0 ? { text, message_id: id } : { text },
        })
        await new Promise((resolve) => setImmediate(resolve))
        if (context.signal.aborted) return
      }
    })
    const text = await (await post(server.url('agent'), { threadId: 't' })).text()
    const perEvent = text.length / parseSse(text).length
    console.info(
      `AG-UI: ${(text.length / pieces.length).toFixed(1)} bytes a token, ${perEvent.toFixed(1)} an event`,
    )
    expect(text.length / pieces.length).toBeLessThan(120)
    expect(perEvent).toBeLessThan(120)
  })
})

describe('forms', () => {
  test.each([
    ['text/event-stream', 'text/event-stream'],
    ['*/*', 'text/event-stream'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/vnd.ag-ui.event+proto', 'application/vnd.ag-ui.event+proto'],
  ])('Accept: %s is answered as %s', async (accept, type) => {
    const server = await serving(hello)
    const response = await post(server.url('agent'), { threadId: 't' }, { accept })
    expect(response.headers.get('content-type')).toBe(type)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100)
  })

  test('HttpAgent reads the protobuf form', async () => {
    const server = await serving(hello)
    class BinaryAgent extends HttpAgent {
      protected override requestInit(input: Parameters<HttpAgent['run']>[0]): RequestInit {
        const init = super.requestInit(input)
        return {
          ...init,
          headers: { ...(init.headers as object), Accept: 'application/vnd.ag-ui.event+proto' },
        }
      }
    }
    const agent = new BinaryAgent({ url: server.url('agent'), threadId: 't' })
    await agent.runAgent({})
    expect(agent.messages).toMatchObject([{ id: 'a0', content: 'Hello there' }])
  })
})

describe('bad input', () => {
  test.each<[string, string, unknown, Record<string, string>, number, string]>([
    ['no JSON', 'agent', '{', {}, 400, 'bad-request'],
    ['not an object', 'agent', '[]', {}, 400, 'bad-request'],
    ['no thread', 'agent', {}, {}, 400, 'bad-request'],
    ['a thread that is no string', 'agent', { threadId: 1 }, {}, 400, 'bad-request'],
    [
      'messages that are none',
      'agent',
      { threadId: 't', messages: [{ role: 'user' }] },
      {},
      400,
      'bad-request',
    ],
    ['an unknown agent', 'nobody', { threadId: 't' }, {}, 404, 'unknown-agent'],
    ['a body that is too large', 'agent', { threadId: 't', state: 'x'.repeat(3000) }, {}, 413, 'too-large'],
    ['a form that nobody speaks', 'agent', { threadId: 't' }, { accept: 'image/png' }, 406, 'unsupported'],
    [
      'a cursor that is none',
      'agent/connect',
      { threadId: 't' },
      { 'last-event-id': 'x' },
      400,
      'bad-request',
    ],
  ])('%s is refused with a code and a hint', async (_name, agent, body, headers, status, code) => {
    const server = await serving(hello, { maxBodyBytes: 2000 })
    const response = await post(server.url(agent), body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({
      error: { code, message: expect.any(String), hint: expect.any(String) },
    })
  })

  test('nulls and missing fields of older clients are taken as absent', async () => {
    const server = await serving(hello)
    const body = {
      threadId: 't',
      runId: null,
      tools: null,
      messages: [{ id: 'u', role: 'user', content: 'x', name: null }],
    }
    expect((await eventsOf(await post(server.url('agent'), body))).at(-1)?.type).toBe('RUN_FINISHED')
  })

  test('forwarded props reach the agent only by name', async () => {
    const seen: unknown[] = []
    const threads = memoryThreads({ agents: { agent: scriptedSource('agent', hello) } })
    const server = await serveAgui({
      threads: {
        ...threads,
        start(run) {
          seen.push(run.configurable)
          return threads.start(run)
        },
      },
      forward: ['tenant'],
    })
    servers.push(server)
    const forwardedProps = { tenant: 'a', webhook: 'http://evil' }
    await (await post(server.url('agent'), { threadId: 't', forwardedProps })).text()
    expect(seen).toEqual([{ tenant: 'a' }])
  })
})

describe('connect', () => {
  test.each([['unknown'], ['idle']])('an %s thread is a run of snapshots', async (kind) => {
    const server = await serving(hello)
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
    const server = await serving(hello)
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
      const server = await serving(scene)
      const url = server.url('agent')
      const first = post(url, { threadId: 't', messages: [{ id: 'u1', role: 'user', content: 'Hi' }] })
      await wait.reached
      const clients = [
        new ConnectableHttpAgent({ url, threadId: 't' }),
        ...Array.from({ length: 3 }, () => new ConnectableHttpAgent({ url, threadId: 't' })),
      ]
      const events: Event[] = []
      const connected = clients.map((client, index) =>
        client.connectAgent(
          {},
          { onEvent: ({ event }) => void (index === 0 && events.push(event as Event)) },
        ),
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
    const server = await serving(async ({ emit }) => {
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
    servers.push(server)
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

test('capabilities say what an agent can do', async () => {
  const server = await serving(hello)
  const response = await fetch(`${server.url('agent')}/capabilities`)
  expect(await response.json()).toMatchObject({
    identity: { name: 'agent' },
    transport: { streaming: true, resumable: true },
    multiAgent: { subagents: [{ name: 'researcher' }] },
  })
})
