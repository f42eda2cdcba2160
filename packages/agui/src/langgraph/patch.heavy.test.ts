import type { Event } from '@ag-ui/core'
import { LangGraphAgent } from '@ag-ui/langgraph'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judge } from '../testing/judge.ts'
import { ConnectableLangGraphAgent, runThroughApi } from './index.ts'
import { langGraphServer } from './testing/langgraph-server.ts'
import type { LangGraphServer } from './testing/langgraph-server.ts'

let server: LangGraphServer

beforeAll(async () => {
  server = await langGraphServer()
}, 60_000)
afterAll(() => server.close())

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

async function isRunning(threadId: string): Promise<void> {
  await expect
    .poll(async () => (await server.client.runs.list(threadId, { status: 'running' })).length, {
      timeout: 10_000,
      interval: 20,
    })
    .toBe(1)
}

const types = (events: readonly Event[]): string[] => events.map((event) => event.type)

describe('the patch', () => {
  const root = new URL('../../../../', import.meta.url)

  test('is what its sources make', { timeout: 120_000 }, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['patches/make-patch.mjs', '--check'], {
      cwd: root,
    })
    expect(stdout).toContain('up to date')
  })

  test('gives the package, as ES module and as CommonJS, the same names and a connect()', async () => {
    const esm = await import('@ag-ui/langgraph')
    const script =
      "const m = require('@ag-ui/langgraph'); console.log(Object.keys(m).sort() + ' ' + Object.hasOwn(m.LangGraphAgent.prototype, 'connect'))"
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      cwd: new URL('packages/agui/', root),
    })
    expect(stdout.trim()).toBe(`${Object.keys(esm).sort().join()} true`)
    expect(Object.hasOwn(esm.LangGraphAgent.prototype, 'connect')).toBe(true)
  })

  test('connects as our own class does', { timeout: 60_000 }, async () => {
    const id = await newThread()
    await start('tools', id, 'look up')
    await isRunning(id)
    const agent = new LangGraphAgent({
      deploymentUrl: server.url,
      client: server.client,
      graphId: 'tools',
      threadId: id,
    })
    const events: Event[] = []
    await agent
      .clone()
      .connectAgent({}, { onEvent: ({ event }: { event: Event }) => void events.push(event) })
    expect(types(events)).toContain('TOOL_CALL_RESULT')
    await judge(events)
  })

  test('leaves run() as it was', { timeout: 60_000 }, async () => {
    const shape = async (Agent: typeof LangGraphAgent): Promise<string[]> => {
      const seen: string[] = []
      const agent = new Agent({
        deploymentUrl: server.url,
        client: server.client,
        graphId: 'tools',
        threadId: await newThread(),
      })
      agent.messages = [{ id: 'u1', role: 'user', content: 'look up' }]
      await agent.runAgent({}, { onEvent: ({ event }) => void seen.push(event.type) })
      return seen
    }
    // The published file itself: the patch adds files beside it and leaves it alone.
    const published: { LangGraphAgent: typeof LangGraphAgent } = await import(
      new URL('packages/agui/node_modules/@ag-ui/langgraph/dist/index.mjs', root).href
    )
    expect(Object.hasOwn(published.LangGraphAgent.prototype, 'connect')).toBe(false)
    const stock = await shape(published.LangGraphAgent)
    expect(stock.length).toBeGreaterThan(20)
    expect(await shape(LangGraphAgent)).toEqual(stock)
    expect(await shape(ConnectableLangGraphAgent)).toEqual(stock)
  })
})
