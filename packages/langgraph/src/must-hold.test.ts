import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { expect, test } from 'vitest'
import { nestedGraph, parallelGraph } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, scriptedModel } from './testing/index.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const
const words = (count: number, of = 'w'): string[] => Array.from({ length: count }, (_, i) => `${of}${i} `)

test('a graph that throws after 201 tokens loses none of them, with a reader of 2 ms an envelope', async () => {
  const model = scriptedModel([{ text: words(201) }])
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('boom', async (state) => {
      await model.invoke(state.messages)
      throw new Error('boom')
    })
    .addEdge(START, 'boom')
    .compile({ name: 'thrower' })
  const { envelopes, outcome } = await recordRun(fromGraph(graph), hi, { readerMs: 2 })
  expect(outcome.status).toBe('error')
  const tokens = envelopes.filter((one) => one.type === 'llm_token').map((one) => one.payload.text)
  expect(tokens).toEqual(words(201))
  expect(verify(envelopes)).toEqual([])
})

test('a slow reader slows the run down instead of letting it run ahead', async () => {
  let asked = 0
  let heard = 0
  let ahead = 0
  const model = scriptedModel(() => ({ text: words(60) }))
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('speak', async (state) => {
      const stream = await model.stream(state.messages)
      for await (const _piece of stream) ahead = Math.max(ahead, ++asked - heard)
      return {}
    })
    .addEdge(START, 'speak')
    .compile({ name: 'speaker' })
  await recordRun(fromGraph(graph), hi, {
    readerMs: 1,
    onEnvelope: ({ type }) => {
      if (type === 'llm_token') heard += 1
    },
  })
  expect(heard).toBe(60)
  expect(ahead).toBeLessThan(5)
})

test('two runs at once on one source share nothing', async () => {
  const source = fromGraph(parallelGraph())
  const runs = await Promise.all([1, 2, 3, 4].map(() => recordRun(source, hi)))
  const alone = await recordRun(source, hi)
  const shape = (recording: typeof alone): string[] =>
    recording.envelopes
      .map(
        ({ type, agent, seq, payload }) =>
          `${type} ${agent} ${seq} ${JSON.stringify('text' in payload ? payload.text : '')}`,
      )
      .sort()
  for (const run of runs) {
    expect(verify(run.envelopes)).toEqual([])
    expect(new Set(run.envelopes.map((one) => one.run_id))).toEqual(new Set([run.run_id]))
    expect(shape(run)).toEqual(shape(alone))
  }
  const ids = runs.map((run) => new Set(run.envelopes.map((one) => one.call_id)))
  for (const id of ids[0]!) for (const other of ids.slice(1)) expect(other.has(id)).toBe(false)
})

test('callbacks, tags and configurable of the user reach the graph as they are', async () => {
  const seen: string[] = []
  const handler = BaseCallbackHandler.fromMethods({
    handleLLMNewToken(token) {
      seen.push(token)
    },
  })
  let config: Record<string, unknown> = {}
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('look', async (state, given) => {
      config = { ...given.configurable, ...given }
      await scriptedModel([{ text: 'a b' }]).invoke(state.messages)
      return {}
    })
    .addEdge(START, 'look')
    .compile({ name: 'looker' })
  const source = fromGraph(graph, {
    config: { callbacks: [handler], tags: ['mine'], configurable: { tenant: 'acme' } },
  })
  await recordRun(source, { ...hi, config: { configurable: { user: 'ann' }, tags: ['theirs'] } })
  expect(config).toMatchObject({ tenant: 'acme', user: 'ann' })
  expect(config['tags']).toEqual(expect.arrayContaining(['mine', 'theirs']))
  expect(seen.join('')).toBe('a b')
})

test('a cancel stops the model in the middle of a word, and every call ends', async () => {
  const cancel = new AbortController()
  let spoken = 0
  const counter = BaseCallbackHandler.fromMethods({
    handleLLMNewToken() {
      spoken += 1
    },
  })
  const graph = nestedGraph([{ text: words(1000), delayMs: 10 }])
  const { outcome, envelopes } = await recordRun(fromGraph(graph, { config: { callbacks: [counter] } }), hi, {
    signal: cancel.signal,
    onEnvelope: ({ type }) => {
      if (type === 'llm_token') cancel.abort()
    },
  })
  expect(outcome).toEqual({ status: 'cancelled' })
  expect(verify(envelopes)).toEqual([])
  expect(spoken).toBeLessThan(10)
})
