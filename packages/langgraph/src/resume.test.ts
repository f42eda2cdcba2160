import {
  Annotation,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { verify } from '@clewline/core/check'
import { createDeepAgent } from 'deepagents'
import { createAgent, tool } from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { approve, loopGraph, search } from './testing/graphs.ts'
import { fromGraph } from './index.ts'
import { recordRun, scriptedModel, story } from './testing/index.ts'

const hi = { kind: 'input', input: { messages: [{ role: 'user', content: 'hi' }] } } as const
const answer = (value: unknown) => ({ kind: 'resume', answers: [{ value: value as string }] }) as const

const twoQuestions = createAgent({
  name: 'main',
  model: scriptedModel([
    {
      toolCalls: [
        { id: 'a1', name: 'approve', args: { q: 'cats' } },
        { id: 'a2', name: 'approve', args: { q: 'dogs' } },
      ],
    },
    { text: 'done' },
  ]),
  tools: [approve],
})

describe('several interrupts at once', () => {
  test('are each raised at their own call and answered by id', async () => {
    const paused = await recordRun(fromGraph(twoQuestions), hi)
    expect(verify(paused.envelopes)).toEqual([])
    if (paused.outcome.status !== 'interrupted') throw new Error(paused.outcome.status)
    const { interrupts } = paused.outcome
    expect(interrupts.map((one) => one.tool_call_id)).toEqual(['a1', 'a2'])
    const answers = interrupts.map(({ id, value }) => ({ interrupt_id: id, value: { said: value } }))
    const resumed = await paused.next({ kind: 'resume', answers })
    expect(verify(resumed.envelopes)).toEqual([])
    expect(story(resumed.envelopes, paused.envelopes.length)).toMatchInlineSnapshot(`
      "main: goes on
      main/approve: goes on
      main/approve: goes on
      main/approve: ends ok "they said {\\"said\\":{\\"about\\":\\"cats\\"}}"
      main/approve: ends ok "they said {\\"said\\":{\\"about\\":\\"dogs\\"}}"
      main/scripted: model starts
      main/scripted: says "done"
      main/scripted: ends stop
      main: ends ok"
    `)
  })

  test('may be answered one after the other', async () => {
    const paused = await recordRun(fromGraph(twoQuestions), hi)
    if (paused.outcome.status !== 'interrupted') throw new Error(paused.outcome.status)
    const [first, second] = paused.outcome.interrupts
    const half = await paused.next({ kind: 'resume', answers: [{ interrupt_id: first!.id, value: 1 }] })
    expect(half.outcome).toMatchObject({ status: 'interrupted', interrupts: [{ id: second!.id }] })
    expect(verify(half.envelopes)).toEqual([])
    const whole = await half.next({ kind: 'resume', answers: [{ value: 2 }] })
    expect(whole.outcome).toEqual({ status: 'success' })
    expect(verify(whole.envelopes)).toEqual([])
    expect(story(whole.envelopes, paused.envelopes.length)).toMatchInlineSnapshot(`
      "main: goes on
      main/approve: goes on
      main/approve: goes on
      main/approve: ends ok "they said 1"
      main/approve: asks {"about":"dogs"}
      main: goes on
      main: updates {"data":{"node":"tools","cached":true,"update":{"messages":[{"type":"tool","content":"they said 1","name":"approve","status":"success","tool_call_id":"a1","metadata":{"versions":{"@langchain/core":"1.2.13"}}}]}}} (replay)
      main/approve: goes on
      main/approve: ends ok "they said 2"
      main/scripted: model starts
      main/scripted: says "done"
      main/scripted: ends stop
      main: ends ok"
    `)
  })

  const both = {
    toolCalls: [
      { id: 'a1', name: 'approve', args: { q: 'cats' } },
      { id: 'a2', name: 'approve', args: { q: 'dogs' } },
    ],
  }
  const task = { id: 't1', name: 'task', args: { description: 'ask', subagent_type: 'helper' } }
  const helper = {
    name: 'helper',
    description: 'asks',
    systemPrompt: 'Ask.',
    tools: [approve],
    model: scriptedModel([both, { text: 'asked' }]),
  }
  const ask = (question: string) => () => ({
    messages: [{ role: 'assistant', content: String(interrupt(question)) }],
  })
  const inner = new StateGraph(MessagesAnnotation)
    .addNode('cats', ask('cats'))
    .addNode('dogs', ask('dogs'))
    .addEdge(START, 'cats')
    .addEdge(START, 'dogs')
    .compile({ name: 'inner' })
  const middle = new StateGraph(MessagesAnnotation)
    .addNode('inner', inner)
    .addEdge(START, 'inner')
    .compile({ name: 'middle' })

  test.each([
    [
      'a sub-agent',
      createDeepAgent({
        model: scriptedModel([{ toolCalls: [task] }, { text: 'done' }]),
        subagents: [helper],
      }),
    ],
    [
      'a graph in a graph',
      new StateGraph(MessagesAnnotation)
        .addNode('middle', middle)
        .addEdge(START, 'middle')
        .compile({ name: 'outer' }),
    ],
  ])('inside %s are all in the state, until each is answered', async (_name, graph) => {
    const source = fromGraph(graph)
    const context = { thread_id: 'one', checkpointer: new MemorySaver() }
    const idsNow = async () => (await source.state!(context)).interrupts.map(({ id }) => id)
    const paused = await recordRun(source, hi, context)
    if (paused.outcome.status !== 'interrupted') throw new Error(paused.outcome.status)
    const [cats, dogs] = paused.outcome.interrupts.map(({ id }) => id)
    expect(await idsNow()).toEqual([cats, dogs])

    const half = await paused.next({ kind: 'resume', answers: [{ interrupt_id: cats!, value: 1 }] })
    expect(half.outcome).toMatchObject({ status: 'interrupted', interrupts: [{ id: dogs }] })
    expect(await idsNow()).toEqual([dogs])

    const whole = await half.next({ kind: 'resume', answers: [{ value: 2 }] })
    expect(whole.outcome).toEqual({ status: 'success' })
    expect(await idsNow()).toEqual([])
    expect(verify(whole.envelopes)).toEqual([])
  })

  test('cannot be answered without saying which', async () => {
    const paused = await recordRun(fromGraph(twoQuestions), hi)
    await expect(paused.next(answer('yes'))).rejects.toThrow('waits on 2 interrupts')
  })
})

describe('an answer', () => {
  const one = loopGraph(
    [{ toolCalls: [{ id: 'a1', name: 'approve', args: { q: 'cats' } }] }, { text: 'done' }],
    [approve],
  )

  test.each([[null], [false], [0], [''], [{ nested: [1, null] }]])('may be %j', async (value) => {
    const paused = await recordRun(fromGraph(one), hi)
    const resumed = await paused.next(answer(value))
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(story(resumed.envelopes)).toContain(JSON.stringify(`they said ${JSON.stringify(value)}`))
  })

  test('to an interrupt that nobody raised is refused', async () => {
    const paused = await recordRun(fromGraph(one), hi)
    const interrupt_id = '0123456789abcdef0123456789abcdef'
    const wrong = paused.next({ kind: 'resume', answers: [{ interrupt_id, value: 1 }] })
    await expect(wrong).rejects.toThrow('does not wait on an interrupt')
  })

  test('to a thread that does not wait is refused', async () => {
    const done = await recordRun(fromGraph(loopGraph([{ text: 'done' }], [search])), hi)
    await expect(done.next(answer('yes'))).rejects.toThrow('does not wait for an answer')
  })
})

describe('an interrupt', () => {
  test('in a node is raised at its graph, and the model call before it is tried again', async () => {
    const model = scriptedModel([{ text: 'thinking' }])
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('ask', async (state) => {
        await model.invoke(state.messages)
        return { messages: [{ role: 'assistant', content: `heard ${interrupt('well?')}` }] }
      })
      .addEdge(START, 'ask')
      .compile({ name: 'asker' })
    const paused = await recordRun(fromGraph(graph), hi)
    const resumed = await paused.next(answer('yes'))
    expect(verify(resumed.envelopes)).toEqual([])
    expect(story(resumed.envelopes)).toMatchInlineSnapshot(`
      "asker: graph starts
      asker/scripted: model starts
      asker/scripted: says "thinking"
      asker/scripted: ends stop
      asker: asks "well?"
      asker: goes on
      asker/scripted: model starts (attempt 2)
      asker/scripted: says "thinking"
      asker/scripted: ends stop
      asker: ends ok"
    `)
  })

  test('of the approval middleware names the tool call that it is about', async () => {
    const agent = createDeepAgent({
      model: scriptedModel([
        { toolCalls: [{ id: 's1', name: 'search', args: { q: 'cats' } }] },
        { text: 'done' },
      ]),
      tools: [search],
      interruptOn: { search: true },
    })
    const paused = await recordRun(fromGraph(agent), hi)
    expect(paused.outcome).toMatchObject({ status: 'interrupted', interrupts: [{ tool_call_id: 's1' }] })
    const resumed = await paused.next(answer({ decisions: [{ type: 'approve' }] }))
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(verify(resumed.envelopes)).toEqual([])
  })

  test('cancels the calls beside it, which run again at the resume', async () => {
    let calls = 0
    const slow = tool(() => (++calls === 1 ? new Promise<string>(() => {}) : Promise.resolve('slow')), {
      name: 'slow',
      description: 'is slow once',
      schema: z.object({}),
    })
    // One task for both calls: LangGraph's plain ToolNode stops at the first that throws.
    const graph = loopGraph(
      [
        {
          toolCalls: [
            { id: 'w1', name: 'slow', args: {} },
            { id: 'a1', name: 'approve', args: { q: 'x' } },
          ],
        },
        { text: 'done' },
      ],
      [slow, approve],
    )
    const paused = await recordRun(fromGraph(graph), hi)
    expect(verify(paused.envelopes)).toEqual([])
    const resumed = await paused.next(answer('yes'))
    expect(verify(resumed.envelopes)).toEqual([])
    expect(story(resumed.envelopes)).toMatchInlineSnapshot(`
      "main: graph starts
      main/main-model: model starts
      main/main-model: calls slow {}
      main/main-model: calls approve {"q":"x"}
      main/main-model: ends tool_calls
      main/slow: tool starts {}
      main/approve: tool starts {"q":"x"}
      main/slow: ends cancelled
      main/approve: asks {"about":"x"}
      main: goes on
      main/slow: tool starts {} (attempt 2)
      main/approve: goes on
      main/slow: ends ok "slow"
      main/approve: ends ok "they said \\"yes\\""
      main/main-model: model starts
      main/main-model: says "done"
      main/main-model: ends stop
      main: ends ok"
    `)
  })

  test('before a node (a breakpoint) waits too, and any answer goes on', async () => {
    const State = Annotation.Root({
      steps: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    })
    const graph = new StateGraph(State)
      .addNode('one', () => ({ steps: ['one'] }))
      .addNode('two', () => ({ steps: ['two'] }))
      .addEdge(START, 'one')
      .addEdge('one', 'two')
      .compile({ name: 'stepper', interruptBefore: ['two'] })
    const paused = await recordRun(fromGraph(graph), { kind: 'input', input: { steps: [] } })
    expect(paused.outcome).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: { breakpoint: ['two'] } }],
    })
    const resumed = await paused.next(answer(true))
    expect(verify(resumed.envelopes)).toEqual([])
    expect(story(resumed.envelopes)).toMatchInlineSnapshot(`
      "stepper: graph starts
      stepper: updates {"delta":{"state":{"steps":["one"]}}}
      stepper: asks {"breakpoint":["two"]}
      stepper: goes on
      stepper: updates {"delta":{"state":{"steps":["one","two"]}}}
      stepper: ends ok"
    `)
  })
})
