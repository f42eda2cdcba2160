import { HttpAgent, verifyEvents } from '@ag-ui/client'
import type { BaseEvent } from '@ag-ui/client'
import { LangGraphAgent } from '@ag-ui/langgraph'
import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2'
import { memoryLog } from '@clewline/core'
import { memoryThreads } from '@clewline/agui'
import { scriptedSource } from '@clewline/agui/testing'
import { langGraphServer } from '@clewline/connect/testing'
import type { LangGraphServer } from '@clewline/connect/testing'
import { from, lastValueFrom, toArray } from 'rxjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConnectingRunner, ClewlineAgent, ClewlineRunner } from './index.ts'
import type { ConnectableAgent } from './index.ts'

process.env['COPILOTKIT_TELEMETRY_DISABLED'] = 'true'

type Handler = (request: Request) => Promise<Response>

function handlerOf(runtime: CopilotRuntime): Handler {
  const handle = createCopilotRuntimeHandler({ runtime, basePath: '/api' })
  return async (request) => handle(request)
}

function post(handle: Handler, path: string, body: object = {}): Promise<Response> {
  return handle(
    new Request(`http://localhost/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
}

function input(threadId: string, content?: string): object {
  const messages = content === undefined ? [] : [{ id: `u-${content}`, role: 'user', content }]
  return {
    threadId,
    runId: crypto.randomUUID(),
    state: {},
    messages,
    tools: [],
    context: [],
    forwardedProps: {},
  }
}

async function eventsOf(response: Response): Promise<BaseEvent[]> {
  const events = (await response.text())
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => JSON.parse(block.slice(6)) as BaseEvent)
  await lastValueFrom(verifyEvents(false)(from(events)).pipe(toArray()))
  return events
}

const types = (events: readonly BaseEvent[]): string[] => events.map((event) => event.type)

describe('ConnectingRunner', () => {
  let server: LangGraphServer
  beforeAll(async () => {
    server = await langGraphServer()
  }, 60_000)
  afterAll(() => server.close())

  function handler(): Handler {
    const agent = new LangGraphAgent({ deploymentUrl: server.url, client: server.client, graphId: 'tools' })
    const agents = { tools: agent }
    return handlerOf(new CopilotRuntime({ agents, runner: new ConnectingRunner({ agents }) }))
  }

  test('shows a run that was started elsewhere through the stock connect route, to several clients', async () => {
    const { thread_id } = await server.client.threads.create()
    await server.client.runs.create(thread_id, 'tools', {
      input: { messages: [{ role: 'user', content: 'look up' }] },
      streamMode: ['events', 'values', 'updates', 'messages-tuple'],
      streamResumable: true,
    })
    const handle = handler()
    const all = await Promise.all([1, 2, 3].map(() => post(handle, '/agent/tools/connect', input(thread_id))))
    for (const response of all) {
      const events = await eventsOf(response)
      expect(types(events)).toContain('TEXT_MESSAGE_CONTENT')
      expect(types(events).at(-1)).toBe('RUN_FINISHED')
    }
  })

  test('a run of one client is seen token by token by another, and stopped from a third', async () => {
    const { thread_id } = await server.client.threads.create()
    const running = post(handler(), '/agent/tools/run', input(thread_id, 'look up'))
    await expect
      .poll(async () => (await server.client.runs.list(thread_id, { status: 'running' })).length, {
        timeout: 10_000,
      })
      .toBe(1)
    const other = handler()
    const watching = post(other, '/agent/tools/connect', input(thread_id))
    const response = await watching
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('TEXT_MESSAGE_CONTENT')) text += (await reader?.read())?.value ?? ''
    const stopped = await post(other, `/agent/tools/stop/${thread_id}`)
    expect(await stopped.json()).toMatchObject({ stopped: true })
    for (;;) {
      const next = await reader?.read()
      if (next?.done !== false) break
      text += next.value
    }
    expect(text).toContain('RUN_FINISHED')
    await (await running).text()
  })

  test('a thread that nobody has made is an empty run, not an empty body', async () => {
    const events = await eventsOf(await post(handler(), '/agent/tools/connect', input(crypto.randomUUID())))
    expect(types(events)).toEqual(['RUN_STARTED', 'STATE_SNAPSHOT', 'RUN_FINISHED'])
  })
})

test('ConnectingRunner: an agent without a connect() of its own is a RUN_ERROR that says what to do', async () => {
  const stock = new HttpAgent({ url: 'http://127.0.0.1:9' })
  // What TypeScript would refuse and JavaScript does not.
  const agents = { stock: stock as unknown as ConnectableAgent }
  const handle = handlerOf(
    new CopilotRuntime({ agents: { stock }, runner: new ConnectingRunner({ agents }) }),
  )
  expect(await eventsOf(await post(handle, '/agent/stock/connect', input('t')))).toMatchObject([
    {
      type: 'RUN_ERROR',
      code: 'connect_failed',
      message: expect.stringContaining('ConnectableLangGraphAgent'),
    },
  ])
})

describe('ClewlineRunner', () => {
  const log = memoryLog()
  let open = (): void => undefined
  let gate = Promise.resolve()
  const source = scriptedSource('echo', async ({ say, messages }) => {
    await gate
    await say([`l${messages.length}`], `a${messages.length}`, ['Hel', 'lo'])
  })

  function handler(): Handler {
    const threads = memoryThreads({ agents: { echo: source }, log })
    const agents = { echo: new ClewlineAgent({ threads, agent: 'echo' }) }
    return handlerOf(new CopilotRuntime({ agents, runner: new ClewlineRunner({ threads }) }))
  }

  test('runs, connects, and answers a second run on a busy thread clearly', async () => {
    const handle = handler()
    gate = new Promise((resolve) => (open = resolve))
    const first = post(handle, '/agent/echo/run', input('t', 'hi'))
    const reader = (await first).clone().body?.getReader()
    await reader?.read()
    const [refused] = await eventsOf(await post(handle, '/agent/echo/run', input('t', 'again')))
    expect(refused).toMatchObject({
      type: 'RUN_ERROR',
      code: 'busy',
      message: expect.stringContaining('connect'),
    })
    const watching = post(handle, '/agent/echo/connect', input('t'))
    const watched = await watching
    open()
    const seen = await eventsOf(watched)
    expect(types(seen)).toContain('TEXT_MESSAGE_CONTENT')
    const ran = await eventsOf(await first)
    expect(types(ran).at(-1)).toBe('RUN_FINISHED')
    const [, , messages] = await eventsOf(await post(handle, '/agent/echo/connect', input('t')))
    expect(messages).toMatchObject({ messages: [{ id: 'u-hi' }, { id: 'a1', content: 'Hello' }] })
  })

  test('stops a run, wherever it was started', async () => {
    const threads = memoryThreads({
      agents: {
        slow: scriptedSource(
          'slow',
          ({ context }) =>
            new Promise((_, reject) =>
              context.signal.addEventListener('abort', () => reject(new Error('aborted'))),
            ),
        ),
      },
    })
    const agents = { slow: new ClewlineAgent({ threads, agent: 'slow' }) }
    const handle = handlerOf(new CopilotRuntime({ agents, runner: new ClewlineRunner({ threads }) }))
    const { run_id } = await threads.start({
      thread_id: 't',
      run_id: 'cron',
      agent: 'slow',
      request: { kind: 'input', input: { messages: [] } },
      tools: [],
      configurable: {},
    })
    const watching = post(handle, '/agent/slow/connect', input('t'))
    expect(await (await post(handle, '/agent/slow/stop/t')).json()).toMatchObject({ stopped: true })
    expect(types(await eventsOf(await watching)).at(-1)).toBe('RUN_FINISHED')
    expect((await threads.settled('t', run_id, new AbortController().signal)).status).toBe('cancelled')
    expect(await (await post(handle, '/agent/slow/stop/t')).json()).toMatchObject({ stopped: false })
  })
})
