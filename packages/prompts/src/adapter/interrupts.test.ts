import { MemorySaver } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  action,
  createSession,
  definePrompt,
  LangGraphAdapter,
  ok,
  section,
  slice,
  tool,
  type InterruptedResponse,
  type LangGraphAdapterOptions,
  type PromptResponse,
  type ResumeToken,
  type Tool,
} from '../index.ts'
import { sessionCheckpointer } from '../langgraph/index.ts'
import { ScriptedModel, type Script } from '../testing/scripted-model.ts'

const Note = slice('Note', z.string())
const Log = slice('Log', z.string(), 'log')
const Noted = action('Noted', z.string())
const noting = () =>
  createSession()
    .register(Note, Noted, (notes, note) => [...notes, note])
    .register(Log, Noted, (notes, note) => [...notes, note])
const promptOf = (...tools: Tool[]) =>
  definePrompt({
    ns: 'test',
    key: 'pause',
    sections: [section({ key: 'task', title: 'Task', template: 'Go.', tools })],
  }).bind()
const ping = tool({ name: 'ping', description: 'd', handler: () => ok('pong') })
const ask = tool({
  name: 'ask',
  description: 'd',
  params: z.object({ question: z.string() }),
  handler({ question }, { session, interrupt }) {
    session.dispatch(Noted(`asking ${question}`))
    const answer = String(interrupt({ question }))
    session.dispatch(Noted(`heard ${answer}`))
    return ok(answer)
  },
})
const done = { text: 'Done.' }
const asking: Script = [
  { calls: [{ name: 'ask', id: 'c1', args: { question: 'why?' } }], usage: [10, 1] },
  { ...done, usage: [10, 1] },
]

function paused(response: PromptResponse<unknown>): InterruptedResponse {
  if (response.status !== 'interrupted') throw new Error('The evaluation did not pause.')
  return response
}
const overWire = (token: ResumeToken): ResumeToken => JSON.parse(JSON.stringify(token))

describe('a tool that asks', () => {
  test('B42, B51: pauses as a value; on resume it runs from its start, and nothing is there twice', async () => {
    const session = noting()
    const types: string[] = []
    session.bus.on('*', ({ type }) => types.push(type))
    const adapter = new LangGraphAdapter({
      model: new ScriptedModel(asking),
      checkpointer: new MemorySaver(),
    })
    const response = paused(await adapter.evaluate(promptOf(ask), { session }))
    expect(response).toMatchObject({
      interrupts: [{ value: { question: 'why?' } }],
      next: ['tools'],
      usage: { totalTokens: 11 },
    })
    expect(types).toEqual(['PromptRendered', 'ModelCalled', 'Interrupted'])
    expect(session.query(Note).all()).toEqual([])

    const final = await adapter.resume(promptOf(ask), overWire(response.resumeToken), 'because', { session })
    expect(final).toMatchObject({ status: 'completed', text: 'Done.', usage: { totalTokens: 22 }, steps: 2 })
    expect(types.slice(3)).toEqual(['ToolInvoked', 'ModelCalled', 'PromptExecuted'])
    expect(session.query(Note).all()).toEqual(['asking why?', 'heard because'])
    expect(session.query(Log).all()).toEqual(['asking why?', 'heard because'])
  })

  test('a sibling that was done is not run again', async () => {
    let pings = 0
    const counted = tool({
      name: 'ping',
      description: 'd',
      handler: (_, { session }) => (session.dispatch(Noted('ping')), ok((pings += 1))),
    })
    const model = new ScriptedModel([
      {
        calls: [
          { name: 'ping', id: 'p' },
          { name: 'ask', id: 'a', args: { question: 'q' } },
        ],
      },
      done,
    ])
    const session = noting()
    const prompt = promptOf(counted, ask)
    const adapter = new LangGraphAdapter({ model, checkpointer: new MemorySaver() })
    const { resumeToken } = paused(await adapter.evaluate(prompt, { session }))
    await adapter.resume(prompt, overWire(resumeToken), 'yes', { session })
    expect(pings).toBe(1)
    expect(session.query(Note).all()).toEqual(['ping', 'asking q', 'heard yes'])
  })

  test('several questions at once are answered by their ids', async () => {
    const model = new ScriptedModel([
      {
        calls: [
          { name: 'ask', id: 'a', args: { question: 'one' } },
          { name: 'ask', id: 'b', args: { question: 'two' } },
        ],
      },
      done,
    ])
    const session = noting()
    const adapter = new LangGraphAdapter({ model, checkpointer: new MemorySaver() })
    const { interrupts, resumeToken } = paused(await adapter.evaluate(promptOf(ask), { session }))
    expect(interrupts.map(({ value }) => value)).toEqual([{ question: 'one' }, { question: 'two' }])
    await expect(adapter.resume(promptOf(ask), resumeToken, 'yes', { session })).rejects.toThrow(
      'There are 2 questions; 2 have no answer.',
    )
    const answers = Object.fromEntries(interrupts.map(({ id }, at) => [id, `answer ${at}`]))
    await expect(adapter.resume(promptOf(ask), resumeToken, answers, { session })).resolves.toMatchObject({
      status: 'completed',
    })
    expect(session.query(Note).all()).toEqual([
      'asking one',
      'heard answer 0',
      'asking two',
      'heard answer 1',
    ])
  })

  test('needs a checkpointer, and says so', async () => {
    const adapter = new LangGraphAdapter({ model: new ScriptedModel(asking) })
    await expect(adapter.evaluate(promptOf(ask), { session: noting() })).rejects.toMatchObject({
      phase: 'tool',
      message: expect.stringContaining('needs a checkpointer'),
    })
  })

  test('a token of another prompt is refused', async () => {
    const adapter = new LangGraphAdapter({
      model: new ScriptedModel(asking),
      checkpointer: new MemorySaver(),
    })
    const session = noting()
    const { resumeToken } = paused(await adapter.evaluate(promptOf(ask), { session }))
    await expect(adapter.resume(promptOf(ask, ping), resumeToken, 'x', { session })).rejects.toMatchObject({
      code: 'conflict',
    })
  })
})

describe('a tool that needs approval', () => {
  const pay = tool({
    name: 'pay',
    description: 'd',
    params: z.object({ amount: z.number() }),
    needsApproval: ({ amount }) => amount > 10,
    handler: ({ amount }, { session }) => (session.dispatch(Noted(`paid ${amount}`)), ok(amount)),
  })
  const run = async (amount: number, decision: unknown) => {
    const model = new ScriptedModel([{ calls: [{ name: 'pay', args: { amount } }] }, done])
    const adapter = new LangGraphAdapter({ model, checkpointer: new MemorySaver() })
    const session = noting()
    const prompt = promptOf(pay)
    const first = await adapter.evaluate(prompt, { session })
    if (first.status === 'interrupted') await adapter.resume(prompt, first.resumeToken, decision, { session })
    return { first, notes: session.query(Note).all(), answer: model.seen.at(-1)?.messages.at(-1)?.text }
  }

  test.each([
    ['approved', { approve: true }, ['paid 20'], '20'],
    ['edited', { approve: true, params: { amount: 15 } }, ['paid 15'], '15'],
    ['edited to nonsense', { approve: true, params: { amount: 'x' } }, [], /^Tool validation failed: amount/],
    ['denied with a bare false', false, [], "Tool 'pay' was denied: no reason was given"],
    ['denied', { approve: false, reason: 'too much' }, [], "Tool 'pay' was denied: too much"],
  ])('%s', async (_name, decision, notes, answer) => {
    const result = await run(20, decision)
    expect(result.first).toMatchObject({
      interrupts: [{ value: { type: 'approval', tool: 'pay', params: { amount: 20 } } }],
    })
    expect(result.notes).toEqual(notes)
    expect(result.answer).toEqual(typeof answer === 'string' ? answer : expect.stringMatching(answer))
  })

  test('is not asked about what needs none', async () => {
    expect((await run(5, undefined)).first.status).toBe('completed')
  })
})

describe('breakpoints', () => {
  const model = () => new ScriptedModel([{ calls: [{ name: 'ping' }] }, done])
  const breaking = (options: Partial<LangGraphAdapterOptions> = {}) =>
    new LangGraphAdapter({ model: model(), clientConfig: { interruptBefore: ['tools'] }, ...options })

  test('B45: a breakpoint is an interrupted response, and resume completes', async () => {
    const session = createSession()
    const adapter = breaking({ checkpointer: new MemorySaver() })
    const response = paused(await adapter.evaluate(promptOf(ping), { session }))
    expect(response).toMatchObject({ interrupts: [], next: ['tools'] })
    await expect(
      adapter.resume(promptOf(ping), response.resumeToken, undefined, { session }),
    ).resolves.toMatchObject({ text: 'Done.' })
  })

  test('B45: a breakpoint without checkpointer, or at a node that is not there, is refused up front', async () => {
    const session = createSession()
    await expect(breaking().evaluate(promptOf(ping), { session })).rejects.toThrow(
      'A breakpoint needs a checkpointer.',
    )
    const lost = breaking({ checkpointer: new MemorySaver(), clientConfig: { interruptAfter: ['nowhere'] } })
    await expect(lost.evaluate(promptOf(ping), { session })).rejects.toMatchObject({
      message: 'The graph has no node nowhere.',
      hint: 'Its nodes: model_request, tools.',
    })
  })
})

describe('conversations', () => {
  const sizes = (model: ScriptedModel) => model.seen.map(({ messages }) => messages.length)

  test('B50: evaluations on one session do not share messages unless they name a thread', async () => {
    const checkpointer = new MemorySaver()
    const model = new ScriptedModel([{ text: 'Hi.' }])
    const adapter = new LangGraphAdapter({ model, checkpointer })
    const session = createSession()
    await adapter.evaluate(promptOf(), { session, input: 'one' })
    await adapter.evaluate(promptOf(), { session, input: 'two' })
    expect(sizes(model)).toEqual([2, 2])
    expect(Object.keys(checkpointer.storage)).toEqual([])
    await adapter.evaluate(promptOf(), { session, input: 'three', threadId: 't' })
    await adapter.evaluate(promptOf(), { session, input: 'four', threadId: 't' })
    expect(sizes(model).slice(2)).toEqual([2, 4])
  })
})

test('B52: with the session as checkpointer a pause survives as JSON and another process goes on', async () => {
  const session = noting()
  const first = new LangGraphAdapter({
    model: new ScriptedModel(asking),
    checkpointer: await sessionCheckpointer(session),
  })
  const { resumeToken } = paused(await first.evaluate(promptOf(ask), { session }))
  const stored = JSON.stringify({ token: resumeToken, snapshot: session.snapshot() })

  const { token, snapshot }: { token: ResumeToken; snapshot: string } = JSON.parse(stored)
  const restored = noting()
  const checkpointer = await sessionCheckpointer(restored)
  restored.restore(JSON.stringify(snapshot))
  const second = new LangGraphAdapter({ model: new ScriptedModel([done]), checkpointer })
  await expect(second.resume(promptOf(ask), token, 'because', { session: restored })).resolves.toMatchObject({
    text: 'Done.',
  })
  expect(restored.query(Note).all()).toEqual(['asking why?', 'heard because'])
})
