import { setTimeout as sleep } from 'node:timers/promises'
import {
  Annotation,
  Command,
  entrypoint,
  interrupt,
  MemorySaver,
  Send,
  START,
  StateGraph,
  task,
} from '@langchain/langgraph'
import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { expect, test } from 'vitest'
import { fromGraph } from './index.ts'
import { recordRun, story } from './testing/index.ts'

const State = Annotation.Root({
  n: Annotation<number>(),
  seen: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
})

const go = { kind: 'input', input: { n: 1 } } as const
const told = (envelopes: readonly Envelope[]) => story(envelopes, 0, { nodes: true })

const endsOf = (envelopes: readonly Envelope[]) =>
  Object.fromEntries(
    envelopes.flatMap((one) =>
      one.type === 'tool_end' && one.parent_id !== null
        ? [[one.payload.tool_name, one.payload.result] as const]
        : [],
    ),
  )

test('four plain nodes are four calls with their updates and true durations', async () => {
  const graph = new StateGraph(State)
    .addNode('a', () => ({ n: 2 }))
    .addNode('b', async () => {
      await sleep(60)
      return { seen: ['b'] }
    })
    .addNode('c', () => ({}))
    .addNode('d', () => ({ seen: [] }))
    .addEdge(START, 'a')
    .addConditionalEdges('a', () => 'b', ['b'])
    .addEdge('b', 'c')
    .addEdge('c', 'd')
    .compile({ name: 'four' })
  const { envelopes } = await recordRun(fromGraph(graph), go)
  expect(verify(envelopes)).toEqual([])
  expect(told(envelopes).replaceAll(/\nfour: updates .*/g, '')).toMatchInlineSnapshot(`
    "four: graph starts
    four/a: node starts
    four/a: ends ok
    four/b: node starts
    four/b: ends ok
    four/c: node starts
    four/c: ends ok
    four/d: node starts
    four/d: ends ok
    four: ends ok"
  `)
  expect(endsOf(envelopes)).toEqual({ a: { n: 2 }, b: { seen: ['b'] }, c: {}, d: { seen: [] } })
  const times = envelopes.filter((one) => 'tool_name' in one.payload && one.payload.tool_name === 'b')
  expect((times.at(-1)?.ts ?? 0) - (times[0]?.ts ?? 0)).toBeGreaterThan(0.05)
})

test('a node that throws is where the error is, and a retry is its next attempt', async () => {
  let tries = 0
  const graph = new StateGraph(State)
    .addNode('fine', () => ({ n: 2 }))
    .addNode(
      'shaky',
      () => {
        tries += 1
        throw new RangeError(`try ${tries}`)
      },
      {
        retryPolicy: {
          maxAttempts: 2,
          initialInterval: 1,
          jitter: false,
          retryOn: () => true,
          logWarning: false,
        },
      },
    )
    .addEdge(START, 'fine')
    .addEdge('fine', 'shaky')
    .compile({ name: 'two' })
  const { envelopes } = await recordRun(fromGraph(graph), go)
  expect(verify(envelopes)).toEqual([])
  expect(
    told(envelopes)
      .split('\n')
      .filter((line) => !line.includes('updates')),
  ).toEqual([
    'two: graph starts',
    'two/fine: node starts',
    'two/fine: ends ok',
    'two/shaky: node starts',
    'two/shaky: fails RangeError: try 1',
    'two: warns node-retry',
    'two/shaky: node starts (attempt 2)',
    'two/shaky: fails RangeError: try 2',
    'two: fails RangeError: try 2',
  ])
})

test('nodes that were sent to are a call each, and a command is the result of its node', async () => {
  const graph = new StateGraph(State)
    .addNode(
      'fan',
      () => new Command({ update: { n: 2 }, goto: [new Send('work', { n: 7 }), new Send('work', { n: 8 })] }),
      { ends: ['work'] },
    )
    .addNode('work', ({ n }) => ({ seen: [`saw ${n}`] }))
    .addEdge(START, 'fan')
    .compile({ name: 'fan' })
  const { envelopes } = await recordRun(fromGraph(graph), go)
  expect(verify(envelopes)).toEqual([])
  const results = envelopes.flatMap((one) => (one.type === 'tool_end' ? [one.payload.result] : []))
  expect(results.slice(0, 3)).toEqual([
    {
      type: 'command',
      update: { n: 2 },
      goto: [
        { type: 'send', node: 'work', args: { n: 7 } },
        { type: 'send', node: 'work', args: { n: 8 } },
      ],
    },
    { seen: ['saw 7'] },
    { seen: ['saw 8'] },
  ])
})

test('tasks of the functional API are calls inside their entrypoint, with their arguments', async () => {
  const add = task('add', async (a: number, b: number) => a + b)
  const flow = entrypoint({ name: 'flow', checkpointer: new MemorySaver() }, async (n: number) => {
    const [x, y] = await Promise.all([add(n, 1), add(n, 10)])
    return x + y
  })
  const { envelopes } = await recordRun(fromGraph(flow), { kind: 'input', input: 1 })
  expect(verify(envelopes)).toEqual([])
  const starts = envelopes.flatMap((one) => (one.type === 'tool_start' ? [one.payload.input] : []))
  expect(starts).toEqual([1, 1, [1, 1], [1, 10]])
  expect(told(envelopes).split('\n').slice(0, 8)).toEqual([
    'flow: graph starts',
    'flow/flow: node starts',
    'flow/flow/add: node starts',
    'flow/flow/add: node starts',
    'flow/flow/add: ends ok',
    'flow/flow/add: ends ok',
    'flow/flow: ends ok',
    'flow: ends ok',
  ])
})

test('a node that asks stays open, and goes on where it asked', async () => {
  const graph = new StateGraph(State)
    .addNode('ask', () => ({ seen: [String(interrupt('sure?'))] }))
    .addEdge(START, 'ask')
    .compile({ name: 'asker' })
  const paused = await recordRun(fromGraph(graph), go)
  expect(verify(paused.envelopes)).toEqual([])
  const { envelopes } = await paused.next({ kind: 'resume', answers: [{ value: 'yes' }] })
  expect(verify(envelopes)).toEqual([])
  expect(
    told(envelopes)
      .split('\n')
      .filter((line) => !line.includes('updates')),
  ).toEqual([
    'asker: graph starts',
    'asker/ask: node starts',
    'asker/ask: asks "sure?"',
    'asker: goes on',
    'asker/ask: goes on',
    'asker/ask: ends ok',
    'asker: ends ok',
  ])
})
