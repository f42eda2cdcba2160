import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch'
import { tool } from '@langchain/core/tools'
import { Annotation, type LangGraphRunnableConfig, START, StateGraph } from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { createFold } from '@clewline/core/view'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loopGraph, taskTool } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, story } from './testing/index.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const

const reporting = tool(
  async ({ who }: { who: string }, config: LangGraphRunnableConfig) => {
    config.writer?.(`${who} begins`)
    await new Promise((resolve) => setTimeout(resolve, 5))
    config.writer?.({ clewline: { progress: { done: 1, total: 2 }, text: 'half' } })
    config.writer?.({ clewline: { warning: { code: 'slow', message: 'it takes long', seconds: 5 } } })
    config.writer?.({
      clewline: {
        delta: { files: { added: { [`${who}.md`]: 'x' } }, todos: [{ content: who, status: 'pending' }] },
      },
    })
    config.writer?.({ anything: who })
    return who
  },
  { name: 'report', description: 'reports', schema: z.object({ who: z.string() }) },
)

describe('what is written inside a graph', () => {
  test('is told at the very tool call that wrote it, also when two write at once in one node', async () => {
    const graph = loopGraph(
      [
        {
          toolCalls: [
            { id: 'a', name: 'report', args: { who: 'ann' } },
            { id: 'b', name: 'report', args: { who: 'bob' } },
          ],
        },
        { text: 'done' },
      ],
      [reporting],
    )
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(verify(envelopes)).toEqual([])
    const calls = new Map(
      envelopes.flatMap((one) =>
        one.type === 'tool_start' && one.payload.meta?.tool_call_id !== undefined
          ? [[one.call_id, one.payload.meta.tool_call_id]]
          : [],
      ),
    )
    const said = envelopes
      .filter((one) => one.type === 'tool_update' || one.type === 'warning')
      .map(({ call_id, payload }) => [calls.get(call_id), payload])
    expect(said.filter(([id]) => id === 'a').map(([, payload]) => payload)).toEqual([
      { tool_name: 'report', text: 'ann begins' },
      { tool_name: 'report', progress: { done: 1, total: 2 }, text: 'half' },
      { code: 'slow', message: 'it takes long', seconds: 5 },
      {
        tool_name: 'report',
        delta: { files: { added: { 'ann.md': 'x' } }, todos: [{ content: 'ann', status: 'pending' }] },
      },
      { tool_name: 'report', data: { anything: 'ann' } },
    ])
    expect(said.filter(([id]) => id === 'b')).toHaveLength(5)
    expect(said).toHaveLength(10)
  })

  test('by a tool of a sub-agent is told at that tool', async () => {
    const helper = [{ toolCalls: [{ id: 'r1', name: 'report', args: { who: 'eve' } }] }, { text: 'ok' }]
    const graph = loopGraph(
      [{ toolCalls: [{ id: 't1', name: 'task', args: { goal: 'x' } }] }, { text: 'done' }],
      [taskTool(() => helper, [reporting])],
    )
    const { envelopes } = await recordRun(fromGraph(graph), hi)
    expect(story(envelopes)).toContain('main/task/report: updates {"text":"eve begins"}')
  })

  test('by a node is told at its graph, as is a custom event', async () => {
    const graph = new StateGraph(Annotation.Root({ n: Annotation<number>() }))
      .addNode('one', async (_state, config) => {
        config.writer?.({ step: 'one' })
        await dispatchCustomEvent('noted', { x: 1 }, config)
        return { n: 1 }
      })
      .addEdge(START, 'one')
      .compile({ name: 'main' })
    const { envelopes } = await recordRun(fromGraph(graph), { kind: 'input', input: { n: 0 } })
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main: updates {"data":{"step":"one"}}
      main: updates {"data":{"event":"noted","data":{"x":1}}}
      main: updates {"delta":{"state":{"n":1}}}
      main: ends ok"
    `)
  })
})

describe('plan, files and state', () => {
  const State = Annotation.Root({
    files: Annotation<Record<string, unknown>>(),
    todos: Annotation<unknown[]>(),
    count: Annotation<number>(),
  })
  const graph = new StateGraph(State)
    .addNode('first', () => ({
      files: { 'a.md': 'one', 'b.md': { content: ['x', 'y'] } },
      todos: [{ content: 'plan', status: 'in_progress' }],
    }))
    .addNode('second', () => ({ files: { 'a.md': 'two' }, count: 2 }))
    .addEdge(START, 'first')
    .addEdge('first', 'second')
    .compile({ name: 'main' })
  const empty = { kind: 'input', input: { count: 1, files: { 'old.md': 'kept' } } } as const

  test('are told as each state is saved, and only what is new', async () => {
    const { envelopes } = await recordRun(fromGraph(graph), empty)
    expect(story(envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main: updates {"delta":{"todos":[{"content":"plan","status":"in_progress"}],"files":{"added":{"a.md":"one","b.md":"x\\ny"},"removed":["old.md"]}}}
      main: updates {"delta":{"files":{"changed":{"a.md":"two"},"removed":["b.md"]},"state":{"count":2}}}
      main: ends ok"
    `)
  })

  test('end up in the view as they are in the state', async () => {
    const { envelopes } = await recordRun(fromGraph(graph), empty)
    const fold = createFold()
    for (const [index, envelope] of envelopes.entries()) fold.apply({ position: index + 1, envelope })
    const { files, todos, state } = fold.snapshot()
    const live = [...files.values()].filter((file) => file.content !== null)
    expect(live.map((file) => [file.name, file.content])).toEqual([['a.md', 'two']])
    expect(todos).toEqual([{ content: 'plan', status: 'in_progress' }])
    expect(state).toMatchObject({ count: 2 })
  })

  test('of a thread that already has them are not told again in the next run', async () => {
    const source = fromGraph(graph)
    const { thread_id } = await recordRun(source, empty)
    const again = await recordRun(source, { kind: 'input', input: { count: 1 } }, { thread_id })
    expect(story(again.envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main: updates {"delta":{"files":{"added":{"b.md":"x\\ny"},"changed":{"a.md":"one"}}}}
      main: updates {"delta":{"files":{"changed":{"a.md":"two"},"removed":["b.md"]},"state":{"count":2}}}
      main: ends ok"
    `)
  })
})
