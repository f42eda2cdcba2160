import { createServer } from 'node:http'
import { ChatOpenAI } from '@langchain/openai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  action,
  createBudgetTracker,
  createSession,
  Deadline,
  definePrompt,
  LangGraphAdapter,
  ok,
  section,
  slice,
  tool,
  type Budget,
  type Tool,
} from '../index.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { ScriptedModel, type Script } from '../testing/scripted-model.ts'

const promptOf = (...tools: Tool[]) =>
  definePrompt({
    ns: 'test',
    key: 'limits',
    sections: [section({ key: 'task', title: 'Task', template: 'Go.', tools })],
  }).bind()
const ping = tool({ name: 'ping', description: 'd', handler: () => ok('pong') })
const twice: Script = [
  { calls: [{ name: 'ping' }], usage: [100, 10] },
  { text: 'Done.', usage: [100, 30] },
]

/** Answers the first request at once, and none of the others. */
async function slowProvider(requests: { answered: number; open: number; cut: number }, onSlow: () => void) {
  const answer = {
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Warm.' } }],
  }
  const server = createServer((request, response) => {
    request.resume()
    requests.open += 1
    if (requests.answered === 0)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    else onSlow()
    response.on('close', () => {
      requests.open -= 1
      if (response.writableFinished) requests.answered += 1
      else requests.cut += 1
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

describe('deadline', () => {
  test('B31: one that has passed fails with phase "request" before any model call', async () => {
    const clock = manualClock()
    const deadline = Deadline.after(10, clock)
    clock.advance(10)
    const model = new ScriptedModel(twice)
    const session = createSession()
    const types: string[] = []
    session.bus.on('*', ({ type }) => types.push(type))
    await expect(
      new LangGraphAdapter({ model, clock }).evaluate(promptOf(), { session, deadline }),
    ).rejects.toMatchObject({
      name: 'DeadlineExceededError',
      phase: 'request',
      promptName: 'test.limits',
    })
    expect(model.seen).toEqual([])
    expect(types).toEqual(['PromptFailed'])
  })

  test('B32: one that passes inside a tool gives phase "tool" and says when it expired', async () => {
    const clock = manualClock()
    const deadline = Deadline.after(30, clock)
    const hang = tool({
      name: 'hang',
      description: 'd',
      handler: () => new Promise<never>(() => clock.advance(30)),
    })
    const model = new ScriptedModel([{ calls: [{ name: 'hang' }] }])
    await expect(
      new LangGraphAdapter({ model, clock }).evaluate(promptOf(hang), { session: createSession(), deadline }),
    ).rejects.toMatchObject({
      name: 'DeadlineExceededError',
      phase: 'tool',
      providerPayload: { deadline_expires_at: deadline.expiresAt.toISOString() },
    })
  })

  test('B46: one that passes while the model is slow closes the request, and nothing is written afterwards', async () => {
    const requests = { answered: 0, open: 0, cut: 0 }
    const clock = manualClock()
    await using provider = await slowProvider(requests, () => clock.advance(200))
    const Seen = slice('Seen', z.string(), 'log')
    const session = createSession().register(Seen, 'ModelCalled', (seen, { type }) => [...seen, type])
    const configuration = { baseURL: provider.url }
    const model = new ChatOpenAI({ model: 'x', apiKey: 'x', maxRetries: 0, configuration })
    const adapter = new LangGraphAdapter({ model, clock })
    const prompt = promptOf(ping)
    await expect(adapter.evaluate(prompt, { session })).resolves.toMatchObject({ text: 'Warm.' })

    const deadline = Deadline.after(200, clock)
    await expect(adapter.evaluate(prompt, { session, deadline })).rejects.toMatchObject({
      name: 'DeadlineExceededError',
    })
    await expect.poll(() => requests).toEqual({ answered: 1, open: 0, cut: 1 })
    expect(session.query(Seen).all()).toEqual(['ModelCalled'])
  })

  test('a cancel rejects with the reason it was given', async () => {
    const controller = new AbortController()
    const reason = new Error('changed my mind')
    const model = new ScriptedModel([{ delayMs: 5000 }])
    const running = new LangGraphAdapter({ model }).evaluate(promptOf(), {
      session: createSession(),
      signal: controller.signal,
    })
    await expect.poll(() => model.seen.length).toBe(1)
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
  })
})

describe('budget', () => {
  test('B34: two calls of 110 and 130 tokens against 200 raise BudgetExceededError', async () => {
    const model = new ScriptedModel(twice)
    const running = new LangGraphAdapter({ model }).evaluate(promptOf(ping), {
      session: createSession(),
      budget: { maxTotalTokens: 200 },
    })
    await expect(running).rejects.toMatchObject({
      name: 'BudgetExceededError',
      phase: 'budget',
      promptName: 'test.limits',
      dimension: 'total_tokens',
      consumed: { totalTokens: 240, modelCalls: 2, toolCalls: 1 },
    })
  })

  test('B34: models that tools call count too', async () => {
    const inner = new ScriptedModel([{ text: 'hm', usage: [50, 50] }])
    const think = tool({
      name: 'think',
      description: 'd',
      handler: async () => ok((await inner.invoke('think')).text),
    })
    const run = (budget: Budget) => {
      const model = new ScriptedModel([
        { calls: [{ name: 'think' }], usage: [10, 10] },
        { text: 'Done.', usage: [10, 10] },
      ])
      return new LangGraphAdapter({ model }).evaluate(promptOf(think), { session: createSession(), budget })
    }
    await expect(run({ maxTotalTokens: 140 })).resolves.toMatchObject({
      usage: { totalTokens: 140 },
      steps: 3,
    })
    const strict = run({ maxTotalTokens: 110 })
    await expect(strict).rejects.toMatchObject({ dimension: 'total_tokens', consumed: { totalTokens: 120 } })
  })

  test('B35: evaluations inside a tool share the budget, and are counted once', async () => {
    const innerModel = new ScriptedModel([{ text: 'inner', usage: [30, 0] }])
    const innerAdapter = new LangGraphAdapter({ model: innerModel })
    const delegate = (pass: boolean) =>
      tool({
        name: 'delegate',
        description: 'd',
        async handler(_, { session, budget }) {
          const response = await innerAdapter.evaluate(promptOf(), {
            session,
            ...(pass && budget && { budgetTracker: budget }),
          })
          return ok(response.status === 'completed' ? response.text : null)
        },
      })
    for (const pass of [true, false]) {
      const model = new ScriptedModel([
        { calls: [{ name: 'delegate' }], usage: [10, 0] },
        { text: 'Done.', usage: [10, 0] },
      ])
      const budgetTracker = createBudgetTracker({ maxTotalTokens: 50 })
      const response = await new LangGraphAdapter({ model }).evaluate(promptOf(delegate(pass)), {
        session: createSession(),
        budgetTracker,
      })
      expect(response.usage).toMatchObject({ totalTokens: 50 })
      expect(budgetTracker.consumed).toMatchObject({ totalTokens: 50, modelCalls: 3 })
      const poor = createBudgetTracker({ maxTotalTokens: 39 })
      const again = new ScriptedModel([{ calls: [{ name: 'delegate' }], usage: [10, 0] }, { text: 'Done.' }])
      await expect(
        new LangGraphAdapter({ model: again }).evaluate(promptOf(delegate(pass)), {
          session: createSession(),
          budgetTracker: poor,
        }),
      ).rejects.toMatchObject({ name: 'BudgetExceededError', consumed: { totalTokens: 40 } })
      expect(again.seen).toHaveLength(1)
    }
  })

  test('B35: a tracker handed to two evaluations sums both', async () => {
    const budgetTracker = createBudgetTracker({ maxTotalTokens: 300 })
    const adapter = new LangGraphAdapter({ model: new ScriptedModel(twice) })
    await adapter.evaluate(promptOf(ping), { session: createSession(), budgetTracker })
    expect(budgetTracker.consumed.totalTokens).toBe(240)
    const more = new LangGraphAdapter({ model: new ScriptedModel(twice) })
    await expect(
      more.evaluate(promptOf(ping), { session: createSession(), budgetTracker }),
    ).rejects.toMatchObject({
      consumed: { totalTokens: 350 },
    })
  })

  test.each([
    ['model_calls', { maxModelCalls: 1 }, 1, 1],
    ['tool_calls', { maxToolCalls: 1 }, 2, 1],
  ])('%s: the one too many is not made', async (dimension, budget, models, tools) => {
    const model = new ScriptedModel([
      { calls: [{ name: 'ping', id: 'a' }] },
      { calls: [{ name: 'ping', id: 'b' }] },
      { text: 'Done.' },
    ])
    let pings = 0
    const counted = tool({ name: 'ping', description: 'd', handler: () => ok((pings += 1)) })
    const running = new LangGraphAdapter({ model }).evaluate(promptOf(counted), {
      session: createSession(),
      budget,
    })
    await expect(running).rejects.toMatchObject({ name: 'BudgetExceededError', dimension })
    expect([model.seen.length, pings]).toEqual([models, tools])
  })

  test('writes of a tool that was running when the budget ran out are taken back', async () => {
    const Note = slice('Note', z.string())
    const Noted = action('Noted', z.string())
    const costly = new ScriptedModel([{ text: 'x', usage: [100, 100] }])
    const think = tool({
      name: 'think',
      description: 'd',
      async handler(_, { session }) {
        session.dispatch(Noted('half'))
        await costly.invoke('x')
        return ok(null)
      },
    })
    const session = createSession().register(Note, Noted, (notes, note) => [...notes, note])
    const model = new ScriptedModel([{ calls: [{ name: 'think' }] }, { text: 'Done.' }])
    const running = new LangGraphAdapter({ model }).evaluate(promptOf(think), {
      session,
      budget: { maxTotalTokens: 100 },
    })
    await expect(running).rejects.toMatchObject({ name: 'BudgetExceededError' })
    expect(session.query(Note).all()).toEqual([])
  })
})

describe('throttling', () => {
  const busy = (fields: object = {}) => Object.assign(new Error('busy'), { status: 429, ...fields })

  test('B36: a busy provider is tried again, and subscribers hear of it', async () => {
    const clock = manualClock({ auto: true })
    const model = new ScriptedModel([{ error: busy({ headers: { 'retry-after': '2' } }) }, { text: 'Done.' }])
    const session = createSession()
    const told: unknown[] = []
    session.bus.on('Throttled', ({ kind, attempts, delayMs, retryAfterMs }) =>
      told.push({ kind, attempts, delayMs, retryAfterMs }),
    )
    const adapter = new LangGraphAdapter({ model, clock, throttle: { random: () => 0 } })
    await expect(adapter.evaluate(promptOf(ping), { session })).resolves.toMatchObject({
      text: 'Done.',
      steps: 1,
    })
    expect(told).toEqual([{ kind: 'rate_limit', attempts: 1, delayMs: 2000, retryAfterMs: 2000 }])
    expect(clock.waits).toEqual([2000])
  })

  test('B36: it gives up after five attempts', async () => {
    const model = new ScriptedModel([{ error: busy() }])
    const adapter = new LangGraphAdapter({ model, clock: manualClock({ auto: true }) })
    await expect(adapter.evaluate(promptOf(), { session: createSession() })).rejects.toMatchObject({
      name: 'ThrottleError',
      promptName: 'test.limits',
      details: { attempts: 5, retrySafe: false },
      cause: { status: 429 },
    })
    expect(model.seen).toHaveLength(5)
  })

  test('B37: it does not wait past the deadline', async () => {
    const clock = manualClock({ auto: true })
    const model = new ScriptedModel([{ error: busy({ headers: { 'retry-after': '60' } }) }])
    const adapter = new LangGraphAdapter({ model, clock })
    const deadline = Deadline.after(30_000, clock)
    await expect(adapter.evaluate(promptOf(), { session: createSession(), deadline })).rejects.toThrow(
      'Deadline expired before retrying after throttling.',
    )
    expect(clock.waits).toEqual([])
  })

  test('B38: another refusal is no throttle', async () => {
    const refusal = Object.assign(new Error('insufficient permissions'), { status: 403 })
    const model = new ScriptedModel([{ error: refusal }])
    const running = new LangGraphAdapter({ model }).evaluate(promptOf(), { session: createSession() })
    await expect(running).rejects.toMatchObject({
      name: 'PromptEvaluationError',
      phase: 'request',
      message: 'insufficient permissions',
    })
    expect(model.seen).toHaveLength(1)
  })
})

test('a provider that is not there is named with its address', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' })
  const model = new ScriptedModel([{ error: new TypeError('fetch failed', { cause }) }])
  const running = new LangGraphAdapter({ model }).evaluate(promptOf(), { session: createSession() })
  await expect(running).rejects.toMatchObject({
    phase: 'request',
    message: 'fetch failed: connect ECONNREFUSED 127.0.0.1:9',
  })
})

test('a hundred evaluations at once on one adapter share nothing', async () => {
  const Sum = slice('Sum', z.number())
  const Added = action('Added', z.number())
  const add = tool({
    name: 'add',
    description: 'd',
    params: z.object({ n: z.number() }),
    handler: ({ n }, { session }) => (session.dispatch(Added(n)), ok(n)),
  })
  const prompt = definePrompt({
    ns: 'test',
    key: 'many',
    sections: [
      section({
        key: 'task',
        title: 'Task',
        template: 'Add {{n}}.',
        params: z.object({ n: z.number() }),
        tools: [add],
      }),
    ],
  })
  const model = new ScriptedModel([
    ({ messages }) => {
      const n = Number(/Add (\d+)/.exec(messages[0]?.text ?? '')?.[1])
      const answered = messages.some((each) => each.getType() === 'tool')
      return answered
        ? { text: `It is ${n}.`, usage: [n, 1], delayMs: n % 7 }
        : { calls: [{ name: 'add', args: { n } }], usage: [n, 1] }
    },
  ])
  const adapter = new LangGraphAdapter({ model })
  const runs = await Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      const session = createSession().register(Sum, Added, (sums, each) => [...sums, each])
      const response = await adapter.evaluate(prompt.bind({ n }), {
        session,
        budget: { maxTotalTokens: 2 * n + 2 },
      })
      return [
        response.status === 'completed' && response.text,
        response.usage.totalTokens,
        session.query(Sum).all(),
      ]
    }),
  )
  expect(runs).toEqual(runs.map((_, n) => [`It is ${n}.`, 2 * n + 2, [n]]))
})
