import { HttpAgent } from '@ag-ui/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryThreads } from '../memory-threads.ts'
import { scriptedSource } from '../testing/scripted-source.ts'
import { eventsOf, post } from '../testing/post.ts'
import { serveAgui } from '../testing/serve-agui.ts'
import { hello, serveScene } from '../testing/serve-scene.ts'

describe('forms', () => {
  test.each([
    ['text/event-stream', 'text/event-stream'],
    ['*/*', 'text/event-stream'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/vnd.ag-ui.event+proto', 'application/vnd.ag-ui.event+proto'],
  ])('Accept: %s is answered as %s', async (accept, type) => {
    const server = await serveScene(hello)
    const response = await post(server.url('agent'), { threadId: 't' }, { accept })
    expect(response.headers.get('content-type')).toBe(type)
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100)
  })

  test('HttpAgent reads the protobuf form', async () => {
    const server = await serveScene(hello)
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
    [
      'content that nobody can have said',
      'agent',
      { threadId: 't', messages: [{ id: 'u', role: 'user', content: 7 }] },
      {},
      400,
      'bad-request',
    ],
    ['an unknown agent', 'nobody', { threadId: 't' }, {}, 404, 'unknown-agent'],
    ['a body that is too large', 'agent', { threadId: 't', state: 'x'.repeat(3000) }, {}, 413, 'too-large'],
    ['a form that nobody speaks', 'agent', { threadId: 't' }, { accept: 'image/png' }, 406, 'not-acceptable'],
    [
      'a cursor that is none',
      'agent/connect',
      { threadId: 't' },
      { 'last-event-id': 'x' },
      400,
      'bad-request',
    ],
  ])('%s is refused with a code and a hint', async (_name, agent, body, headers, status, code) => {
    const server = await serveScene(hello, { maxBodyBytes: 2000 })
    const response = await post(server.url(agent), body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({
      error: { code, message: expect.any(String), hint: expect.any(String) },
    })
  })

  test('nulls and missing fields of older clients are taken as absent', async () => {
    const server = await serveScene(hello)
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
    onTestFinished(() => server.close())
    const forwardedProps = { tenant: 'a', webhook: 'http://evil' }
    await (await post(server.url('agent'), { threadId: 't', forwardedProps })).text()
    expect(seen).toEqual([{ tenant: 'a' }])
  })
})

test('capabilities say what an agent can do', async () => {
  const server = await serveScene(hello)
  const response = await fetch(`${server.url('agent')}/capabilities`)
  expect(await response.json()).toMatchObject({
    identity: { name: 'agent' },
    transport: { streaming: true, resumable: true },
    multiAgent: { subagents: [{ name: 'researcher' }] },
  })
})
