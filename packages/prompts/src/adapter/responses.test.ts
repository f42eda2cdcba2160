import { Annotation, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { AIMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  createSession,
  definePrompt,
  LangGraphAdapter,
  ok,
  section,
  slice,
  tool,
  type LangGraphAdapterOptions,
} from '../index.ts'
import { ScriptedModel, type Script } from '../testing/scripted-model.ts'

const ping = tool({ name: 'ping', description: 'd', handler: () => ok('pong') })
const sections = [section({ key: 'task', title: 'Task', template: 'Go.', tools: [ping] })] as const
const plain = definePrompt({ ns: 'test', key: 'plain', sections }).bind()
const Answer = z.object({ answer: z.number(), sure: z.boolean().default(true) })
const typed = definePrompt({ ns: 'test', key: 'typed', sections, output: Answer }).bind()
const listed = definePrompt({
  ns: 'test',
  key: 'listed',
  sections,
  output: Answer,
  container: 'array',
}).bind()

const evaluate = async (
  prompt: typeof typed | typeof listed,
  script: Script,
  options: Partial<LangGraphAdapterOptions> = {},
) => {
  const model = new ScriptedModel(script)
  const response = await new LangGraphAdapter({ model, ...options }).evaluate<unknown, unknown>(prompt, {
    session: createSession(),
  })
  return { model, response }
}

describe('events', () => {
  test('B41: PromptRendered comes before the first model call, PromptExecuted last and with usage', async () => {
    const order: string[] = []
    const model = new ScriptedModel([
      () => {
        order.push('model')
        return { calls: [{ name: 'ping' }], usage: [1, 2] }
      },
      { text: 'Done.', usage: [3, 4] },
    ])
    const session = createSession()
    session.bus.on('*', (event) =>
      order.push(event.type === 'PromptExecuted' ? `executed ${event.usage.totalTokens}` : event.type),
    )
    await new LangGraphAdapter({ model }).evaluate(plain, { session })
    expect(order).toEqual([
      'PromptRendered',
      'model',
      'ModelCalled',
      'ToolInvoked',
      'ModelCalled',
      'executed 10',
    ])
  })

  test('B41: a PromptExecuted handler that fails rejects evaluate; a PromptRendered handler does not', async () => {
    const session = createSession()
    session.bus.on('PromptRendered', () => {
      throw new Error('ignored')
    })
    const adapter = new LangGraphAdapter({ model: new ScriptedModel([{ text: 'Done.' }]) })
    await expect(adapter.evaluate(plain, { session })).resolves.toMatchObject({ text: 'Done.' })
    session.bus.on('PromptExecuted', () => {
      throw new Error('audit failed')
    })
    await expect(adapter.evaluate(plain, { session })).rejects.toThrow('audit failed')
  })

  test('a failure is emitted, with what was used', async () => {
    const session = createSession()
    const failed: unknown[] = []
    session.bus.on('PromptFailed', ({ error, usage }) => failed.push([error, usage]))
    const model = new ScriptedModel([
      { calls: [{ name: 'ping' }], usage: [5, 5] },
      { error: new Error('offline') },
    ])
    await expect(new LangGraphAdapter({ model }).evaluate(plain, { session })).rejects.toThrow('offline')
    expect(failed).toEqual([
      [expect.objectContaining({ phase: 'request' }), { inputTokens: 5, outputTokens: 5, totalTokens: 10 }],
    ])
  })
})

describe('output', () => {
  const json = '{"answer":4}'
  const value = { answer: 4, sure: true }

  test('B40: with output text is null, without it output is undefined', async () => {
    expect((await evaluate(typed, [{ text: json }], { outputStrategy: 'text' })).response).toMatchObject({
      text: null,
      output: value,
    })
    const text = await new LangGraphAdapter({ model: new ScriptedModel([{ text: 'Hi.' }]) }).evaluate(plain, {
      session: createSession(),
    })
    expect(text).toMatchObject({ text: 'Hi.', output: undefined })
  })

  test('text: the model is shown the schema', async () => {
    const { model } = await evaluate(typed, [{ text: `Sure:\n\`\`\`json\n${json}\n\`\`\`` }], {
      outputStrategy: 'text',
    })
    expect(model.seen[0]?.messages[0]?.text).toContain('"title":"test_typed_schema"')
  })

  test('tool: the output tool is offered and required; its call ends the loop as the answer', async () => {
    const submit = { calls: [{ name: 'submit_output', args: { answer: 4 } }] }
    const { model, response } = await evaluate(typed, [{ calls: [{ name: 'ping' }] }, submit], {
      outputStrategy: 'tool',
    })
    expect(response).toMatchObject({ output: value, steps: 2 })
    expect(model.seen.map(({ options }) => options['tool_choice'])).toEqual(['required', 'required'])
    const list = await evaluate(
      listed,
      [{ calls: [{ name: 'submit_output', args: { items: [{ answer: 4 }] } }] }],
      { outputStrategy: 'tool' },
    )
    expect(list.response).toMatchObject({ output: [value] })
  })

  test('tool: a text answer is read, and output next to other calls waits for them', async () => {
    expect((await evaluate(typed, [{ text: json }], { outputStrategy: 'tool' })).response).toMatchObject({
      output: value,
    })
    const both = { calls: [{ name: 'submit_output', args: { answer: 0 } }, { name: 'ping' }] }
    const { model, response } = await evaluate(typed, [both, { text: json }], { outputStrategy: 'tool' })
    expect(response).toMatchObject({ output: value })
    expect(model.seen[1]?.messages.at(-1)?.text).toBe('pong')
  })

  test('provider: the schema goes with the request; auto chooses by what the model says of itself', async () => {
    const model = new ScriptedModel([{ text: json }], { profile: { structuredOutput: true } })
    const response = await new LangGraphAdapter({ model }).evaluate(typed, { session: createSession() })
    expect(response).toMatchObject({ output: value })
    expect(model.seen[0]?.options).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'test_typed_schema', strict: true } },
      format: { type: 'object', required: ['answer'], additionalProperties: false },
    })
    const auto = await evaluate(typed, [{ calls: [{ name: 'submit_output', args: { answer: 4 } }] }])
    expect(auto.response).toMatchObject({ output: value })
  })

  test.each(['text', 'tool', 'provider'] as const)(
    '%s: one turn to mend what does not fit',
    async (outputStrategy) => {
      const wrong =
        outputStrategy === 'tool'
          ? { calls: [{ name: 'submit_output', args: { answer: 'four' } }] }
          : { text: '{"answer":"four"}' }
      const { model, response } = await evaluate(typed, [wrong, { text: json }], { outputStrategy })
      expect(response).toMatchObject({ output: value, steps: 2 })
      expect(model.seen[1]?.messages.at(-1)?.text).toMatch(/^The output does not fit: answer: .*Answer again/)
      await expect(evaluate(typed, [wrong], { outputStrategy })).rejects.toMatchObject({
        name: 'PromptEvaluationError',
        phase: 'response',
      })
      const none = evaluate(typed, [wrong, { text: json }], { outputStrategy, repairs: 0 })
      await expect(none).rejects.toMatchObject({ phase: 'response' })
    },
  )

  test('B28: a list goes to its slice item by item', async () => {
    const Found = slice('Found', Answer)
    const session = createSession({ slices: [Found] })
    const model = new ScriptedModel([{ text: '[{"answer":1},{"answer":2}]' }])
    await new LangGraphAdapter({ model, outputStrategy: 'text' }).evaluate(listed, { session })
    expect(session.query(Found).all()).toEqual([
      { answer: 1, sure: true },
      { answer: 2, sure: true },
    ])
  })
})

describe('failures of the graph', () => {
  test('B42: too many steps are phase "request"', async () => {
    const model = new ScriptedModel([{ calls: [{ name: 'ping' }] }])
    const adapter = new LangGraphAdapter({ model, clientConfig: { recursionLimit: 5 } })
    await expect(adapter.evaluate(plain, { session: createSession() })).rejects.toMatchObject({
      name: 'PromptEvaluationError',
      phase: 'request',
      message: expect.stringContaining('Graph execution exceeded recursion limit'),
    })
    expect(model.seen).toHaveLength(3)
  })

  test('B42: an invalid update is phase "tool"', async () => {
    const State = Annotation.Root({ ...MessagesAnnotation.spec, one: Annotation<string> })
    const graph = new StateGraph(State)
      .addNode('a', () => ({ one: 'a' }))
      .addNode('b', () => ({ one: 'b' }))
      .addEdge('__start__', 'a')
      .addEdge('__start__', 'b')
      .compile()
    await expect(
      new LangGraphAdapter({ graph }).evaluate(plain, { session: createSession() }),
    ).rejects.toMatchObject({
      name: 'PromptEvaluationError',
      phase: 'tool',
      message: expect.stringContaining('Invalid state update'),
    })
  })
})

describe('models by name', () => {
  test('B43: the provider is put before the name only when it is given', async () => {
    const adapter = (options: LangGraphAdapterOptions) =>
      new LangGraphAdapter(options).evaluate(plain, { session: createSession() })
    await expect(adapter({ model: 'no-such-family' })).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining('Unable to infer model provider'),
      hint: expect.stringContaining('modelProvider'),
    })
    await expect(adapter({ model: 'x', modelConfig: { modelProvider: 'nobody' } })).rejects.toMatchObject({
      message: expect.stringContaining('The model "nobody:x" cannot be made'),
    })
  })

  test('B44: a provider that is not installed is named with the command to install it', async () => {
    const adapter = new LangGraphAdapter({
      model: 'mistral-large',
      modelConfig: { modelProvider: 'mistralai' },
    })
    await expect(adapter.evaluate(plain, { session: createSession() })).rejects.toMatchObject({
      message:
        'The model "mistralai:mistral-large" cannot be made: the package @langchain/mistralai is not installed.',
      hint: 'Run: npm install @langchain/mistralai',
    })
  })

  test('settings for a model that is already made are refused', async () => {
    const adapter = new LangGraphAdapter({ model: new ScriptedModel([{}]), modelConfig: { temperature: 1 } })
    await expect(adapter.evaluate(plain, { session: createSession() })).rejects.toThrow(
      'modelConfig cannot change a model',
    )
    const fine = new LangGraphAdapter({
      model: new ScriptedModel([{ text: 'ok' }]),
      modelConfig: { parallelToolCalls: false },
    })
    await expect(fine.evaluate(plain, { session: createSession() })).resolves.toMatchObject({ text: 'ok' })
  })

  test('an adapter without a model says so', async () => {
    await expect(new LangGraphAdapter({}).evaluate(plain, { session: createSession() })).rejects.toThrow(
      'The adapter has no model.',
    )
  })
})

test('user messages and middleware reach the agent', async () => {
  const model = new ScriptedModel([{ text: 'ok' }])
  const { createMiddleware } = await import('langchain')
  const shout = createMiddleware({
    name: 'shout',
    wrapModelCall: (request, handler) =>
      handler({ ...request, systemPrompt: request.systemPrompt.toUpperCase() }),
  })
  const adapter = new LangGraphAdapter({ model, middleware: [shout] })
  await adapter.evaluate(plain, {
    session: createSession(),
    input: [new AIMessage('Hello?'), { role: 'user', content: 'Hi.' }],
  })
  expect(model.seen[0]?.messages.map((each) => [each.getType(), each.text])).toEqual([
    ['system', '## 1. TASK (TASK)\n\nGO.'],
    ['ai', 'Hello?'],
    ['human', 'Hi.'],
  ])
})
