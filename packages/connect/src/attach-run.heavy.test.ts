import type { Message } from '@ag-ui/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judge } from '@clewline/agui/testing'
import { connectBench, types } from './testing/connect-bench.ts'
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

const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000_000)
const AT_ONCE = 4

/** Everything that the thread holds was told once and whole, by a snapshot or in pieces. */
function expectWhole(
  expected: readonly Message[],
  { text, args, results }: ReturnType<typeof streamed>,
): void {
  for (const message of expected) {
    if (message.role === 'assistant') {
      expect(text.get(message.id) ?? '').toBe(message.content ?? '')
      for (const call of message.toolCalls ?? []) expect(args.get(call.id)).toBe(call.function.arguments)
    }
    if (message.role === 'tool') expect(results.get(message.toolCallId)).toBe(1)
  }
}

/** Whether text still came in pieces. */
async function attach(graph: string, prompt: string, afterMs: number): Promise<boolean> {
  const id = await bench.newThread()
  await bench.start(graph, id, prompt)
  await bench.isRunning(id)
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  const { events, messages } = await bench.connected(graph, id)
  const expected = await bench.thread(id)
  expect(messages).toEqual(expected)
  await judge(events)
  if (!types(events).includes('TEXT_MESSAGE_CONTENT')) return false
  expectWhole(expected, streamed(events))
  return true
}

test.each([
  ['a tool loop', 'tools', 'look up', 20, 1100],
  ['parallel tool calls', 'pair', 'compare', 12, 1200],
  ['parallel sub-graphs', 'parallel', 'hello', 12, 600],
])(
  'attached at random moments of %s, text, arguments and results are neither doubled nor cut',
  { timeout: 180_000 },
  async (_name, graph, prompt, count, max) => {
    const moments = fc.sample(fc.noBias(fc.integer({ min: 0, max })), { seed, numRuns: count })
    let live = 0
    for (let from = 0; from < count; from += AT_ONCE) {
      const attached = await Promise.all(
        moments.slice(from, from + AT_ONCE).map((ms) =>
          attach(graph, prompt, ms).catch((cause: unknown) => {
            throw new Error(`Attached to ${graph} after ${ms} ms, SEED=${seed}.`, { cause })
          }),
        ),
      )
      live += attached.filter(Boolean).length
    }
    console.info(`${graph}: attached live in ${live} of ${count}, SEED=${seed}`)
    expect(live, `SEED=${seed}`).toBeGreaterThan(count / 4)
  },
)
