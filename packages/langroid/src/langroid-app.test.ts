import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addLangroidExpressEndpoint } from './express.ts'
import { LangroidAgent } from './langroid-agent.ts'
import { createLangroidApp } from './langroid-app.ts'
import { ChatAgent } from './native/chat-agent.ts'
import type { ModelRequest } from './native/language-model.ts'
import { MockLM } from './native/mock-lm.ts'
import { Task } from './native/task.ts'
import { connect, listen, outline, type Client, type Listening } from './testing/agui-client.ts'
import {
  frontendTools,
  scenarioAgent,
  scenarioConfig,
  scenarioModel,
  scenarios,
} from './testing/scenarios.ts'

let model: Awaited<ReturnType<typeof scenarioModel>>
let server: Listening
beforeAll(async () => {
  model = await scenarioModel()
  server = await listen(createLangroidApp(LangroidAgent(scenarioAgent(model.baseUrl), scenarioConfig)))
})
afterAll(async () => {
  await server.close()
  await model.stop()
})

/** A task whose sub-task asks its user. */
function askingTask(): Task {
  const scripts = { Main: ['ask them', 'DONE thanks'], Helper: ['Your name?', 'DONE it is Ann'] }
  const agentOf = (name: 'Main' | 'Helper'): ChatAgent => {
    const respond = (_text: string, { messages }: ModelRequest): string =>
      scripts[name][messages.filter((message) => message.role === 'assistant').length] ?? 'more'
    return ChatAgent({ name, model: MockLM({ respond }) })
  }
  return Task(agentOf('Main'), { subTasks: [Task(agentOf('Helper'), { interactive: true })] })
}

test.each(['as an answer', 'as a message'])('a sub-task asks the user, who replies %s', async (how) => {
  const app = await listen(createLangroidApp(LangroidAgent(askingTask())))
  const asking = connect('client 1.0.0', app.url, how)
  const { events } = await asking.run([{ id: 'u1', role: 'user', content: 'go' }], [])
  const { interrupts } = Finished.parse(events.at(-1)).outcome
  expect(interrupts).toMatchObject([{ message: 'Your name?', metadata: { value: { agent: 'Helper' } } }])
  const resume = interrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload: 'Ann',
  }))
  // The client of 1.0 insists on an answer where it has seen the question: another one only chats.
  const { agent, run } = how === 'as an answer' ? asking : connect('client 1.0.0', app.url, how)
  if (how === 'as an answer') await agent.runAgent({ resume })
  else await run([{ id: 'u2', role: 'user', content: 'Ann' }], [])
  const said = agent.messages.filter((message) => message.role === 'assistant')
  expect(said.slice(-2).map((message) => message.content)).toEqual(['it is Ann', 'thanks'])
  await app.close()
})

const Finished = z.object({
  type: z.literal('RUN_FINISHED'),
  outcome: z.object({ type: z.literal('interrupt'), interrupts: z.array(z.looseObject({ id: z.string() })) }),
})

const clients: readonly Client[] = ['client 1.0.0', 'client 0.0.59']

describe.each(clients)('over HTTP with %s', (client) => {
  test.each(scenarios)('$name', async (scenario) => {
    const { agent, run } = connect(client, server.url, `${client} ${scenario.name}`)
    const seen: string[][] = []
    for (const turn of scenario.turns) seen.push(outline((await run(turn, frontendTools)).events))
    expect(seen).toEqual(scenario.events)
    if (scenario.says !== undefined)
      expect(agent.messages.findLast((message) => message.role === 'assistant')?.content).toBe(scenario.says)
    if (scenario.state !== undefined) expect(agent.state).toEqual(scenario.state)
  })

  test('errors have the code LANGROID_ERROR and the words of the model', async () => {
    const { run } = connect(client, server.url, `${client} code`)
    const { events } = await run([{ id: 'u', role: 'user', content: 'be broken' }], [])
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_ERROR',
      code: 'LANGROID_ERROR',
      message: expect.stringContaining('no such model'),
    })
  })

  test('a second run on a busy thread is refused with THREAD_BUSY', async () => {
    const one = connect(client, server.url, `${client} busy`)
    const two = connect(client, server.url, `${client} busy`)
    const first = one.run([{ id: 'u1', role: 'user', content: 'say it slowly' }], [])
    await waitFor(() => model.requests().some((request) => JSON.stringify(request).includes('say it slowly')))
    const second = await two.run([{ id: 'u2', role: 'user', content: 'say hello' }], [])
    expect(second.events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'THREAD_BUSY' })
    expect(outline((await first).events).at(-1)).toBe('RUN_FINISHED')
  })
})

describe('a server that knows nothing of a thread', () => {
  test('learns it from its client, so that a restart between a call and its answer loses nothing', async () => {
    const { agent, run } = connect('client 1.0.0', server.url, 'restart')
    await run([{ id: 'u0', role: 'user', content: 'say hello' }], frontendTools)
    await run([{ id: 'u1', role: 'user', content: 'make it blue' }], frontendTools)
    const fresh = await listen(createLangroidApp(LangroidAgent(scenarioAgent(model.baseUrl), scenarioConfig)))
    agent.url = fresh.url
    await run([{ id: 'r1', role: 'tool', toolCallId: 'call_blue', content: 'user refused' }], frontendTools)
    await fresh.close()
    expect(agent.messages.at(-1)?.content).toBe('As you wish.')
    const request = JSON.stringify(model.requests().at(-1))
    for (const said of ['say hello', 'Hello from aimock.', 'make it blue', 'call_blue', 'user refused'])
      expect(request).toContain(said)
  })
})

describe('the endpoint', () => {
  const body = (extra: object = {}): string =>
    JSON.stringify({
      threadId: 'w',
      runId: crypto.randomUUID(),
      messages: [{ id: 'u', role: 'user', content: 'say hello' }],
      ...extra,
    })
  const post = (init: RequestInit): Promise<Response> => fetch(server.url, { method: 'POST', ...init })
  const json = { 'content-type': 'application/json' }

  test.each([
    [undefined, 'text/event-stream'],
    ['*/*', 'text/event-stream'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/vnd.ag-ui.event+proto', 'application/vnd.ag-ui.event+proto'],
  ])('answers Accept %s as %s', async (accept, type) => {
    const response = await post({
      headers: { ...json, ...(accept && { accept }) },
      body: body({ threadId: `accept ${accept}` }),
    })
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('vary')).toContain('accept')
    const bytes = await response.text()
    if (type === 'application/x-ndjson')
      expect(
        bytes
          .trim()
          .split('\n')
          .map((line) => String(JSON.parse(line).type))
          .at(-1),
      ).toBe('RUN_FINISHED')
  })

  test.each([
    ['a body that is not JSON', { headers: json, body: '{' }, 400],
    ['a body that is no RunAgentInput', { headers: json, body: '{"messages": 1}' }, 400],
    ['another content type', { headers: { 'content-type': 'text/plain' }, body: 'hi' }, 415],
  ])('refuses %s with a clear answer', async (_name, init, status) => {
    const response = await post(init)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), hint: expect.any(String) },
    })
  })

  test('tells its health and capabilities', async () => {
    expect(await (await fetch(`${server.url}/health`)).json()).toEqual({
      status: 'ok',
      agent: { name: 'scenario', description: '' },
    })
    expect(await (await fetch(`${server.url}/capabilities`)).json()).toMatchObject({
      identity: { name: 'scenario' },
    })
  })

  test('shows a thread again to a client that lost it', async () => {
    const threadId = 'connected'
    await (await post({ headers: json, body: body({ threadId }) })).text()
    const response = await fetch(`${server.url}/connect`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ threadId }),
    })
    const events = await response.text()
    expect(events).toContain('MESSAGES_SNAPSHOT')
    expect(events).toContain('Hello from aimock.')
  })

  test('a state that is no object is no reason to fail', async () => {
    const response = await post({ headers: json, body: body({ threadId: 'list', state: [1, 2] }) })
    expect(await response.text()).toContain('RUN_FINISHED')
  })

  test('stops the run when its client disconnects', async () => {
    let aborted = false
    const slow = MockLM({
      respond: (_text, { signal }) => {
        signal.addEventListener('abort', () => (aborted = true))
        return 'x'.repeat(4000)
      },
      delay: 10,
    })
    const app = await listen(createLangroidApp(LangroidAgent(ChatAgent({ name: 'slow', model: slow }))))
    const leave = new AbortController()
    const response = await fetch(app.url, {
      method: 'POST',
      headers: json,
      body: body(),
      signal: leave.signal,
    })
    const reader = response.body!.getReader()
    await reader.read()
    leave.abort()
    await waitFor(() => aborted)
    await app.close()
    expect(aborted).toBe(true)
  })

  test('shows a token when the model says it, not when the answer is whole', async () => {
    let goOn = (): void => {}
    const shown = new Promise<void>((resolve) => (goOn = resolve))
    const pausing = {
      name: 'pausing',
      async *stream() {
        yield { type: 'text' as const, delta: 'now' }
        // The rest comes only once the client has the first word.
        await shown
        yield { type: 'end' as const, finish_reason: 'stop', usage: {} }
      },
    }
    const app = await listen(createLangroidApp(LangroidAgent(ChatAgent({ name: 'pausing', model: pausing }))))
    const response = await fetch(app.url, { method: 'POST', headers: json, body: body() })
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('"now"')) goOn()
    }
    await app.close()
    expect(text).toContain('RUN_FINISHED')
  })

  test('allows any origin, or the given ones with credentials', async () => {
    const open = createLangroidApp(LangroidAgent(ChatAgent({ name: 'a', model: MockLM() })))
    expect(
      (await open.request('/health', { headers: { origin: 'http://x' } })).headers.get(
        'access-control-allow-origin',
      ),
    ).toBe('*')
    const closed = createLangroidApp(LangroidAgent(ChatAgent({ name: 'a', model: MockLM() })), {
      origins: ['http://x'],
      path: '/chat',
    })
    const { headers } = await closed.request('/chat/health', { headers: { origin: 'http://x' } })
    expect(headers.get('access-control-allow-origin')).toBe('http://x')
    expect(headers.get('access-control-allow-credentials')).toBe('true')
  })

  test.each([
    ['before', false],
    ['after', true],
  ])('works in Express %s a body parser', async (_name, isParsed) => {
    const app = express()
    if (isParsed) app.use(express.json())
    addLangroidExpressEndpoint(app, LangroidAgent(scenarioAgent(model.baseUrl), scenarioConfig), '/chat')
    const http = createServer(app).listen(0, '127.0.0.1')
    await once(http, 'listening')
    const { run } = connect(
      'client 1.0.0',
      `http://127.0.0.1:${(http.address() as AddressInfo).port}/chat/`,
      'express',
    )
    const { events } = await run([{ id: 'u', role: 'user', content: 'say hello' }], [])
    http.close()
    http.closeAllConnections()
    expect(outline(events).at(-1)).toBe('RUN_FINISHED')
  })
})

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}
