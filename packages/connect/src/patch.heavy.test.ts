import type { Event } from '@ag-ui/core'
import { LangGraphAgent } from '@ag-ui/langgraph'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { judge } from '@clewline/agui/testing'
import { ConnectableLangGraphAgent } from './index.ts'
import { connectBench, types } from './testing/connect-bench.ts'
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

/** Events without what differs from run to run: ids are numbered in the order in which they come, times are left out. */
function withoutChance(events: readonly unknown[]): unknown[] {
  const numbers = new Map<string, string>()
  const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{32}\b|chatcmpl-[\w-]+/g
  const TIME = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g
  return events.map((event) => {
    const text = JSON.stringify(event, (key, value: unknown) =>
      typeof value === 'number' && /time|created|_ms$/i.test(key) ? 0 : value,
    )
    const plain = text.replaceAll(TIME, 'TIME').replaceAll(ID, (id) => {
      const number = numbers.get(id) ?? `id-${numbers.size}`
      numbers.set(id, number)
      return number
    })
    return JSON.parse(plain)
  })
}

describe('the patch', () => {
  const root = new URL('../../../', import.meta.url)

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
      cwd: new URL('packages/connect/', root),
    })
    expect(stdout.trim()).toBe(`${Object.keys(esm).sort().join()} true`)
    expect(Object.hasOwn(esm.LangGraphAgent.prototype, 'connect')).toBe(true)
  })

  test('connects as our own class does', { timeout: 60_000 }, async () => {
    const id = await bench.newThread()
    await bench.start('tools', id, 'look up')
    await bench.isRunning(id)
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
    const told = async (
      Agent: typeof LangGraphAgent,
      graphId: string,
      prompt: string,
    ): Promise<unknown[]> => {
      const seen: unknown[] = []
      const agent = new Agent({
        deploymentUrl: server.url,
        client: server.client,
        graphId,
        threadId: await bench.newThread(),
      })
      agent.messages = [{ id: 'u1', role: 'user', content: prompt }]
      await agent.runAgent({}, { onEvent: ({ event }) => void seen.push(event) })
      return withoutChance(seen)
    }
    // The published file itself: the patch adds files beside it and leaves it alone.
    const published: { LangGraphAgent: typeof LangGraphAgent } = await import(
      new URL('packages/connect/node_modules/@ag-ui/langgraph/dist/index.mjs', root).href
    )
    expect(Object.hasOwn(published.LangGraphAgent.prototype, 'connect')).toBe(false)
    for (const [graph, prompt] of [
      ['tools', 'look up'],
      ['asks', 'hello'],
    ] as const) {
      const stock = await told(published.LangGraphAgent, graph, prompt)
      expect(stock.length).toBeGreaterThan(20)
      expect(await told(LangGraphAgent, graph, prompt)).toEqual(stock)
      expect(await told(ConnectableLangGraphAgent, graph, prompt)).toEqual(stock)
    }
  })
})
