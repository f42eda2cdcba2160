import { AIMessage, SystemMessage } from '@langchain/core/messages'
import { MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  action,
  createSession,
  Deadline,
  definePrompt,
  LangGraphAdapter,
  ok,
  section,
  slice,
  tool,
  type LangGraphAdapterOptions,
} from '../index.ts'
import { langChainTools } from '../langgraph/index.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

const Note = slice('Note', z.string())
const Noted = action('Noted', z.string())
const noting = () => createSession().register(Note, Noted, (notes, note) => [...notes, note])
const note = tool({
  name: 'note',
  description: 'd',
  params: z.object({ text: z.string() }),
  handler: ({ text }, { session }) => (session.dispatch(Noted(text)), ok(text)),
})
const ask = tool({
  name: 'ask',
  description: 'd',
  handler: (_, { interrupt }) => ok(interrupt('sure?')),
})
const template = definePrompt({
  ns: 'test',
  key: 'custom',
  sections: [
    section({ key: 'task', title: 'Task', template: 'Go.', tools: [note, ask] }),
    section({
      key: 'docs',
      title: 'Docs',
      template: 'The manual.',
      summary: 'A manual.',
      visibility: 'summary',
    }),
  ],
})
const prompt = template.bind()
const done = { text: 'Done.' }

/** A loop of model and tools, as a user would write it. */
const loop: NonNullable<LangGraphAdapterOptions['graph']> = (tools, { model, checkpointer }) =>
  new StateGraph(MessagesAnnotation)
    .addNode('think', async ({ messages }) => ({
      messages: [await model.bindTools?.(tools).invoke(messages)],
    }))
    .addNode('tools', new ToolNode(tools))
    .addEdge('__start__', 'think')
    .addConditionalEdges('think', toolsCondition, ['tools', '__end__'])
    .addEdge('tools', 'think')
    .compile(checkpointer === undefined ? {} : { checkpointer })

describe('a graph of the user', () => {
  test('gets the prompt as system message, its tools and its model', async () => {
    const model = new ScriptedModel([
      { calls: [{ name: 'note', args: { text: 'hi' } }], usage: [10, 1] },
      { ...done, usage: [10, 1] },
    ])
    const session = noting()
    const types: string[] = []
    session.bus.on('*', ({ type }) => types.push(type))
    const response = await new LangGraphAdapter({ model, graph: loop }).evaluate(prompt, {
      session,
      input: 'Please.',
    })
    expect(response).toMatchObject({ text: 'Done.', steps: 2, usage: { totalTokens: 22 } })
    expect(session.query(Note).all()).toEqual(['hi'])
    expect(types).toEqual(['PromptRendered', 'ModelCalled', 'ToolInvoked', 'ModelCalled', 'PromptExecuted'])
    const [system, user] = model.seen[0]?.messages ?? []
    expect(system).toBeInstanceOf(SystemMessage)
    expect(system?.text).toContain('## 1. Task (task)')
    expect(user?.text).toBe('Please.')
  })

  test('may be compiled beforehand with the tools of the prompt, and serves any number of evaluations', async () => {
    const model = new ScriptedModel([
      ({ messages }) =>
        messages.at(-1)?.getType() === 'tool' ? done : { calls: [{ name: 'note', args: { text: 'hi' } }] },
    ])
    const tools = await langChainTools(template)
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('think', async ({ messages }) => ({
        messages: [await model.bindTools(tools).invoke(messages)],
      }))
      .addNode('tools', new ToolNode(tools))
      .addEdge('__start__', 'think')
      .addConditionalEdges('think', toolsCondition, ['tools', '__end__'])
      .addEdge('tools', 'think')
      .compile()
    const adapter = new LangGraphAdapter({ graph })
    const sessions = [noting(), noting(), noting()]
    await Promise.all(sessions.map((session) => adapter.evaluate(prompt, { session })))
    expect(sessions.map((session) => session.query(Note).all())).toEqual([['hi'], ['hi'], ['hi']])
  })

  test('its tools refuse to run outside of an evaluation', async () => {
    const [first] = await langChainTools(template)
    await expect(first?.invoke({ text: 'x' })).rejects.toThrow('was called outside of an evaluation')
  })

  test('keeps to the deadline, also in a node that does not listen', async () => {
    const clock = manualClock()
    const deadline = Deadline.after(50, clock)
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('stuck', () => new Promise<never>(() => clock.advance(50)))
      .addEdge('__start__', 'stuck')
      .compile()
    await expect(
      new LangGraphAdapter({ graph, clock }).evaluate(prompt, { session: noting(), deadline }),
    ).rejects.toMatchObject({
      name: 'DeadlineExceededError',
      phase: 'request',
    })
  })

  test('keeps to the budget, also for a model that it made itself', async () => {
    const own = new ScriptedModel([{ text: 'x', usage: [60, 0] }])
    let steps = 0
    const step = async () => {
      steps += 1
      return { messages: [await own.invoke('x')] }
    }
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('a', step)
      .addNode('b', step)
      .addNode('c', step)
      .addEdge('__start__', 'a')
      .addEdge('a', 'b')
      .addEdge('b', 'c')
      .compile()
    await expect(
      new LangGraphAdapter({ graph }).evaluate(prompt, {
        session: noting(),
        budget: { maxTotalTokens: 100 },
      }),
    ).rejects.toMatchObject({ name: 'BudgetExceededError', consumed: { totalTokens: 120 } })
    expect(steps).toBe(2)
  })

  test('its model is patient with a busy provider', async () => {
    const clock = manualClock({ auto: true })
    const busy = Object.assign(new Error('busy'), { status: 429 })
    const model = new ScriptedModel([{ error: busy }, done])
    const session = noting()
    const throttled: number[] = []
    session.bus.on('Throttled', ({ attempts }) => throttled.push(attempts))
    await expect(
      new LangGraphAdapter({ model, graph: loop, clock }).evaluate(prompt, { session }),
    ).resolves.toMatchObject({ text: 'Done.' })
    expect(throttled).toEqual([1])
    const stream = new LangGraphAdapter({
      model: new ScriptedModel([{ error: busy }, { text: 'So so.' }]),
      graph: loop,
      clock,
    }).stream(prompt, { session })
    let text = ''
    for await (const part of stream) if (part.type === 'text') text += part.delta
    expect(text).toBe('So so.')
    expect(throttled).toEqual([1, 1])
  })

  test('a model of its own that is throttled is reported as such', async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('a', () => {
        throw Object.assign(new Error('busy'), { status: 429, headers: { 'retry-after': '3' } })
      })
      .addEdge('__start__', 'a')
      .compile()
    await expect(
      new LangGraphAdapter({ graph }).evaluate(prompt, { session: noting() }),
    ).rejects.toMatchObject({
      name: 'ThrottleError',
      details: { kind: 'rate_limit', retryAfterMs: 3000, attempts: 1, retrySafe: true },
    })
  })

  test('pauses and goes on; what was done in the same node is not done again', async () => {
    const model = new ScriptedModel([
      {
        calls: [
          { name: 'note', id: 'n', args: { text: 'once' } },
          { name: 'ask', id: 'a' },
        ],
      },
      done,
    ])
    const session = noting()
    const adapter = new LangGraphAdapter({ model, graph: loop, checkpointer: new MemorySaver() })
    const response = await adapter.evaluate(prompt, { session })
    expect(response).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: 'sure?' }],
      next: ['tools'],
    })
    if (response.status !== 'interrupted') return
    const token = JSON.parse(JSON.stringify(response.resumeToken))
    await expect(adapter.resume(prompt, token, 'yes', { session })).resolves.toMatchObject({ text: 'Done.' })
    expect(session.query(Note).all()).toEqual(['once'])
    expect(model.seen[1]?.messages.slice(-2).map((each) => each.text)).toEqual(['once', 'yes'])
  })

  test('arguments that are not JSON are refused and the loop goes on, streamed or not', async () => {
    const script = [{ calls: [{ name: 'note', args: 'nonsense', id: 'n' }] }, done]
    const refusal = 'Tool validation failed: the arguments are not valid JSON.'
    const model = new ScriptedModel(script)
    await new LangGraphAdapter({ model, graph: loop }).evaluate(prompt, { session: noting() })
    expect(model.seen[1]?.messages.at(-1)?.text).toBe(refusal)
    const streamed = new ScriptedModel(script)
    await new LangGraphAdapter({ model: streamed, graph: loop }).stream(prompt, { session: noting() })
      .response
    expect(streamed.seen[1]?.messages.at(-1)?.text).toBe(refusal)
  })

  test('opened sections are shown in the answer of the tool', async () => {
    const open = { calls: [{ name: 'open_sections', args: { section_keys: ['docs'], reason: 'r' } }] }
    const model = new ScriptedModel([open, done])
    await new LangGraphAdapter({ model, graph: loop }).evaluate(prompt, { session: noting() })
    expect(model.seen[1]?.messages.at(-1)?.text).toContain('The manual.')
  })

  test('its structured response, or the JSON of its last message, is the output', async () => {
    const typed = definePrompt({
      ns: 'test',
      key: 'typed',
      sections: [section({ key: 'task', title: 'Task', template: 'Go.' })],
      output: z.object({ n: z.number() }),
    }).bind()
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('a', () => ({ messages: [new AIMessage('Here: {"n": 4}')] }))
      .addEdge('__start__', 'a')
      .compile()
    await expect(
      new LangGraphAdapter({ graph }).evaluate(typed, { session: noting() }),
    ).resolves.toMatchObject({ output: { n: 4 }, text: null })
  })

  test('a second turn of a conversation replaces the instructions instead of adding to them', async () => {
    const model = new ScriptedModel([done])
    const adapter = new LangGraphAdapter({ model, graph: loop, checkpointer: new MemorySaver() })
    const session = noting()
    await adapter.evaluate(prompt, { session, threadId: 't', input: 'one' })
    await adapter.evaluate(prompt, { session, threadId: 't', input: 'two' })
    expect(model.seen[1]?.messages.map((each) => each.getType())).toEqual(['system', 'human', 'ai', 'human'])
  })
})
