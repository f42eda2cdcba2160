import { Annotation, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { InMemoryCache } from '@langchain/langgraph-checkpoint'
import { verify } from '@clewline/core/check'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { broken, loopGraph, search } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, scriptedModel, story, type Script } from './testing/index.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const

/** Fails as often as told, then answers. */
function failing(times: number): Script {
  let left = times
  return () => (left-- > 0 ? { text: 'oh', error: 'overloaded' } : { text: 'fine' })
}

describe('what fails and is tried again is the same call, its next attempt', () => {
  test('a node with a retry policy', async () => {
    const model = scriptedModel(failing(1))
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('speak', async (state) => ({ messages: [await model.invoke(state.messages)] }), {
        retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false },
      })
      .addEdge(START, 'speak')
      .compile({ name: 'main' })
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/scripted: model starts
      main/scripted: says "oh"
      main/scripted: fails Error: overloaded
      main: warns node-retry
      main/scripted: model starts (attempt 2)
      main/scripted: says "fine"
      main/scripted: ends stop
      main: ends ok"
    `)
  })

  test('a sub-graph in a node with a retry policy', async () => {
    const inner = createAgent({ name: 'inner', model: scriptedModel(failing(1)), tools: [] })
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('inner', inner.graph, {
        retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false, logWarning: false },
      })
      .addEdge(START, 'inner')
      .compile({ name: 'main' })
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/inner: subgraph starts
      main/inner/scripted: model starts
      main/inner/scripted: says "oh"
      main/inner/scripted: fails Error: overloaded
      main/inner: fails Error: overloaded
      main: warns node-retry
      main/inner: subgraph starts (attempt 2)
      main/inner/scripted: model starts
      main/inner/scripted: says "fine"
      main/inner/scripted: ends stop
      main/inner: ends ok
      main: ends ok"
    `)
  })

  test('a model with retries of its own', async () => {
    const model = scriptedModel(failing(1)).withRetry({ stopAfterAttempt: 3, onFailedAttempt: () => {} })
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('speak', async (state) => ({ messages: [await model.invoke(state.messages)] }))
      .addEdge(START, 'speak')
      .compile({ name: 'main' })
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/scripted: model starts
      main/scripted: says "oh"
      main/scripted: fails Error: overloaded
      main/scripted: model starts (attempt 2)
      main/scripted: says "fine"
      main/scripted: ends stop
      main: ends ok"
    `)
  })
})

describe('a failure', () => {
  test('of a tool that LangGraph hands to the model ends that call only', async () => {
    const graph = loopGraph(
      [
        {
          toolCalls: [
            { id: 'b', name: 'broken', args: {} },
            { id: 's', name: 'search', args: { q: 'a' } },
            { id: 'n', name: 'nowhere', args: {} },
          ],
        },
        { text: 'done' },
      ],
      [broken, search],
    )
    const { envelopes, outcome } = await recordRun(fromGraph(graph), hi)
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/main-model: model starts
      main/main-model: calls broken {}
      main/main-model: calls search {"q":"a"}
      main/main-model: calls nowhere {}
      main/main-model: ends tool_calls
      main/broken: tool starts {}
      main/search: tool starts {"q":"a"}
      main/broken: fails TypeError: the disk is full
      main/search: updates {"text":"looking for a"}
      main/search: ends ok "result for a"
      main/main-model: model starts
      main/main-model: says "done"
      main/main-model: ends stop
      main: ends ok"
    `)
  })

  test('by too many steps says what to do', async () => {
    const loop: Script = ({ turn }) => ({ toolCalls: [{ id: `s${turn}`, name: 'search', args: { q: 'x' } }] })
    const { outcome, envelopes } = await recordRun(fromGraph(loopGraph(loop, [search])), {
      ...hi,
      config: { recursion_limit: 5 },
    })
    expect(verify(envelopes)).toEqual([])
    expect(outcome).toMatchObject({
      status: 'error',
      error: {
        name: 'GraphRecursionError',
        message: expect.stringContaining('raise config.recursion_limit'),
      },
    })
  })

  test('before the graph has started is a failure of the run, not of the caller', async () => {
    const graph = loopGraph([{ text: 'never' }], [search])
    const { outcome, envelopes } = await recordRun(fromGraph(graph), {
      kind: 'input',
      input: 'not an object',
    })
    expect(outcome.status).toBe('error')
    expect(verify(envelopes)).toEqual([])
  })

  test('of the log stops the run and is the caller’s to see', async () => {
    const source = fromGraph(loopGraph([{ text: 'a b c d e f' }], [search]))
    let heard = 0
    const run = source.run(hi, {
      thread_id: 't',
      checkpointer: undefined,
      run_id: 'r',
      trace_id: 'x',
      isOpen: () => false,
      signal: new AbortController().signal,
      drain: new AbortController().signal,
      emit: async () => {
        if (++heard > 5) throw new Error('the log is gone')
      },
    })
    await expect(run).rejects.toThrow('the log is gone')
    expect(heard).toBeLessThan(12)
  })

  test('of one of many tasks at once ends the others as cancelled', async () => {
    const State = Annotation.Root({ n: Annotation<number>(), ...MessagesAnnotation.spec })
    const slow = scriptedModel([{ text: ['slow ', 'talk'], delayMs: 50 }], { name: 'slow' })
    const bad = scriptedModel([{ error: 'refused' }], { name: 'bad' })
    const graph = new StateGraph(State)
      .addNode('work', async (state) => {
        await (state.n === 1 ? bad : slow).invoke([])
        return {}
      })
      .addConditionalEdges(START, () => [new Send('work', { n: 0 }), new Send('work', { n: 1 })], ['work'])
      .compile({ name: 'fan' })
    const { envelopes, outcome } = await recordRun(fromGraph(graph), hi)
    expect(outcome.status).toBe('error')
    expect(verify(envelopes)).toEqual([])
    const ends = story(envelopes)
      .split('\n')
      .filter((line) => /ends|fails/.test(line))
    expect(ends).toMatchInlineSnapshot(`
      [
        "fan/bad: fails Error: refused",
        "fan/slow: ends cancelled",
        "fan: fails Error: refused",
      ]
    `)
  })
})

test('a node whose writes come from the cache is told as a replay', async () => {
  const State = Annotation.Root({ word: Annotation<string>() })
  const graph = new StateGraph(State)
    .addNode('think', () => ({ word: 'cached' }), { cachePolicy: { keyFunc: () => 'same' } })
    .addEdge(START, 'think')
    .compile({ name: 'cacher', cache: new InMemoryCache() })
  const source = fromGraph(graph)
  await recordRun(source, { kind: 'input', input: { word: '' } })
  const again = await recordRun(source, { kind: 'input', input: { word: '' } })
  expect(verify(again.envelopes)).toEqual([])
  expect(story(again.envelopes)).toMatchInlineSnapshot(`
    "cacher: graph starts
    cacher: updates {"delta":{"state":{"word":"cached"}}}
    cacher: updates {"data":{"node":"think","cached":true,"update":{"word":"cached"}}} (replay)
    cacher: ends ok"
  `)
})
