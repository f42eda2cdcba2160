import { MemorySaver, START, StateGraph } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { createAgent } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { approve, loopGraph, search } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, scriptedModel, story } from './testing/index.ts'

const say = (content: string) =>
  ({ kind: 'input', input: { messages: [{ role: 'user', content }] } }) as const

const echo = fromGraph(
  loopGraph(({ messages }) => ({ text: `you said ${messages.at(-1)?.text}` }), [search], 'echo'),
)

describe('a thread', () => {
  test('can be read, written, listed and forked', async () => {
    const checkpointer = new MemorySaver()
    const context = { thread_id: 'one', checkpointer }
    await recordRun(echo, say('first'), context)
    const between = (await echo.state!(context)).checkpoint_id!
    await recordRun(echo, say('second'), context)
    await echo.update!({ notes: ['kept'] }, context)

    const state = await echo.state!(context)
    expect(state).toMatchObject({ next: [], interrupts: [], values: { notes: ['kept'] } })
    const list = await echo.checkpoints!(context)
    expect(list[0]).toMatchObject({ checkpoint_id: state.checkpoint_id, messages: 4 })
    expect(list.map((one) => one.checkpoint_id)).toContain(between)

    await echo.fork!(between, 'two', context)
    const forked = { thread_id: 'two', checkpointer }
    expect(await echo.state!(forked)).toMatchObject({ checkpoint_id: between })
    const run = await recordRun(echo, say('other'), forked)
    expect(story(run.envelopes)).toContain('you said other')
    expect((await echo.checkpoints!(forked))[0]?.messages).toBe(4)
    expect((await echo.checkpoints!(context))[0]?.messages).toBe(4)
  })

  test('that waits still waits in its fork', async () => {
    const checkpointer = new MemorySaver()
    const source = fromGraph(
      loopGraph(
        [{ toolCalls: [{ id: 'a', name: 'approve', args: { q: 'x' } }] }, { text: 'done' }],
        [approve],
      ),
    )
    const context = { thread_id: 'waiting', checkpointer }
    const paused = await recordRun(source, say('hi'), context)
    const { checkpoint_id } = await source.state!(context)
    await source.fork!(checkpoint_id!, 'copy', context)
    expect((await source.state!({ thread_id: 'copy', checkpointer })).interrupts).toMatchObject([
      { value: { about: 'x' } },
    ])
    expect(paused.outcome.status).toBe('interrupted')
  })

  test('that waits can be written to, and still waits', async () => {
    const source = fromGraph(
      loopGraph(
        [{ toolCalls: [{ id: 'a', name: 'approve', args: { q: 'x' } }] }, { text: 'done' }],
        [approve],
      ),
    )
    const context = { thread_id: 'edited', checkpointer: new MemorySaver() }
    const paused = await recordRun(source, say('hi'), context)
    await source.update!({ notes: ['one'] }, context)
    await source.update!({ notes: ['two'] }, context)
    const between = await source.state!(context)
    expect(between).toMatchObject({
      next: ['tools'],
      interrupts: [{ value: { about: 'x' } }],
      values: { notes: ['two'] },
    })
    const resumed = await paused.next({ kind: 'resume', answers: [{ value: 'yes' }] })
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(verify(resumed.envelopes)).toEqual([])
    expect(await source.state!(context)).toMatchObject({ values: { notes: ['two'] }, interrupts: [] })
  })

  test('cannot be forked from a checkpoint that it does not have', async () => {
    const fork = echo.fork!('nowhere', 'two', { thread_id: 'one', checkpointer: new MemorySaver() })
    await expect(fork).rejects.toThrow('has no checkpoint "nowhere"')
  })
})

describe('a checkpointer', () => {
  test('that is none is refused with a hint', async () => {
    const context = { thread_id: 'x', checkpointer: { nothing: true } }
    await expect(recordRun(echo, say('hi'), context)).rejects.toThrow('not a BaseCheckpointSaver')
  })

  test('that a graph only inherits is replaced by one in memory', async () => {
    const graph = new StateGraph(z.object({ n: z.number() }))
      .addNode('a', () => ({ n: 2 }))
      .addEdge(START, 'a')
      .compile({ checkpointer: true })
    const source = fromGraph(graph)
    const run = await recordRun(source, { kind: 'input', input: { n: 1 } })
    expect(run.outcome).toEqual({ status: 'success' })
    const { thread_id } = run
    expect(await source.state!({ thread_id, checkpointer: undefined })).toMatchObject({ values: { n: 2 } })
  })
})

describe('time travel', () => {
  test('runs again from an earlier checkpoint with new calls', async () => {
    const checkpointer = new MemorySaver()
    const context = { thread_id: 'travel', checkpointer }
    await recordRun(echo, say('first'), context)
    const list = await echo.checkpoints!(context)
    const before = list.find((one) => one.next.includes('agent'))!
    const again = await recordRun(
      echo,
      { kind: 'input', input: null, config: { checkpoint_id: before.checkpoint_id } },
      context,
    )
    expect(verify(again.envelopes)).toEqual([])
    expect(story(again.envelopes)).toMatchInlineSnapshot(`
      "echo: graph starts
      echo: goes on
      echo/echo-model: model starts
      echo/echo-model: says "you said first"
      echo/echo-model: ends stop
      echo: ends ok"
    `)
  })
})

test('a run from a checkpoint that the thread does not have is refused, and the thread stays as it is', async () => {
  const context = { thread_id: 'lost', checkpointer: new MemorySaver() }
  await recordRun(echo, say('first'), context)
  const before = await echo.state!(context)
  const run = recordRun(echo, { ...say('second'), config: { checkpoint_id: 'nowhere' } }, context)
  await expect(run).rejects.toThrow('has no checkpoint "nowhere"')
  expect(await echo.state!(context)).toEqual(before)
})

describe('what a graph says of itself', () => {
  test('gives the schemas of a zod state', () => {
    const State = z.object({ topic: z.string(), count: z.number() })
    const graph = new StateGraph(State)
      .addNode('a', () => ({}))
      .addEdge(START, 'a')
      .compile({ name: 'typed', description: 'has types' })
    expect(fromGraph(graph).describe()).toMatchObject({
      name: 'typed',
      description: 'has types',
      input_schema: { type: 'object', properties: { topic: { type: 'string' } } },
      output_schema: { properties: { count: { type: 'number' }, topic: { type: 'string' } } },
    })
  })

  test('gives at least the names of the channels, and what the options add', () => {
    const agent = createAgent({ name: 'a', model: scriptedModel([]), tools: [search] })
    const source = fromGraph(agent, { describe: { scripted: true, subagents: ['helper'] } })
    expect(source.describe()).toMatchObject({
      name: 'a',
      scripted: true,
      subagents: ['helper'],
      input_schema: { properties: { messages: {} } },
      output_schema: { properties: { messages: {} } },
    })
  })
})
