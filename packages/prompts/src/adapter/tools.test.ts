import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type } from 'arktype'
import {
  action,
  createSession,
  Deadline,
  definePrompt,
  fail,
  LangGraphAdapter,
  ok,
  section,
  slice,
  tool,
  type PromptEvent,
  type Tool,
  type ToolContext,
} from '../index.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { ScriptedModel, type Script } from '../testing/scripted-model.ts'

const Note = slice('Note', z.object({ text: z.string() }))
const Log = slice('Log', z.object({ text: z.string() }), 'log')
const Noted = action('Noted', z.object({ text: z.string() }))

function setup(
  script: Script,
  tools: readonly Tool[],
  options: { toolChoice?: 'required' | { type: 'function'; name: string } } = {},
) {
  const prompt = definePrompt({
    ns: 'test',
    key: 'tools',
    sections: [section({ key: 'task', title: 'Task', template: 'Do it.', tools })],
  }).bind()
  const model = new ScriptedModel(script)
  const session = createSession()
    .register(Note, Noted, (notes, note) => [...notes, note])
    .register(Log, Noted, (notes, note) => [...notes, note])
  const invoked: PromptEvent<'ToolInvoked'>[] = []
  session.bus.on('ToolInvoked', (event) => invoked.push(event))
  const adapter = new LangGraphAdapter({ model, ...options })
  const answers = () =>
    model.seen
      .at(-1)
      ?.messages.filter((each) => each.getType() === 'tool')
      .map((each) => each.text)
  return { prompt, model, session, invoked, adapter, answers }
}

const done = { text: 'Done.' }
const add = tool({
  name: 'add',
  description: 'Adds.',
  params: z.object({ a: z.number(), b: z.number().default(2) }),
  handler: ({ a, b }) => ok({ sum: a + b }, 'added'),
})

describe('a call', () => {
  test('B15: that succeeds is published with its value, and answered with message and JSON', async () => {
    const { adapter, prompt, session, invoked, answers } = setup(
      [{ calls: [{ name: 'add', args: { a: 2 }, id: 'c1' }] }, done],
      [add],
    )
    const response = await adapter.evaluate(prompt, { session })
    expect(response).toMatchObject({ status: 'completed', text: 'Done.', steps: 2 })
    expect(answers()).toEqual(['added\n\n{"sum":4}'])
    expect(invoked).toMatchObject([
      {
        name: 'add',
        callId: 'c1',
        params: { a: 2, b: 2 },
        rendered: 'added\n\n{"sum":4}',
        result: { success: true, value: { sum: 4 } },
      },
    ])
  })

  const bare: [string, () => unknown, string, unknown][] = [
    ['nothing', () => undefined, 'OK', null],
    ['a promise of nothing', async () => undefined, 'OK', null],
    ['text', () => 'all good', 'all good', 'all good'],
    ['a number', () => 0, '0', 0],
    ['false', () => false, 'false', false],
    ['null', () => null, 'OK', null],
    ['a list', () => [1, 2], '[1,2]', [1, 2]],
    ['data that resembles a result', () => ({ success: false }), '{"success":false}', { success: false }],
  ]
  test.each(bare)(
    'P6: whose handler returns %s is answered with that',
    async (_name, handler, text, value) => {
      const { adapter, prompt, session, invoked, answers } = setup(
        [{ calls: [{ name: 'bare' }] }, done],
        [tool({ name: 'bare', description: 'd', handler })],
      )
      await expect(adapter.evaluate(prompt, { session })).resolves.toMatchObject({ text: 'Done.' })
      expect(answers()).toEqual([text])
      expect(invoked).toMatchObject([{ result: { success: true, value } }])
    },
  )

  test.each([null, undefined, 'text', 0])('whose handler throws %j is answered', async (thrown) => {
    const broken = tool({
      name: 'broken',
      description: 'd',
      handler() {
        throw thrown
      },
    })
    const { adapter, prompt, session, answers } = setup([{ calls: [{ name: 'broken' }] }, done], [broken])
    await expect(adapter.evaluate(prompt, { session })).resolves.toMatchObject({ text: 'Done.' })
    expect(answers()).toEqual([`Tool 'broken' execution failed: ${String(thrown)}`])
  })

  const refusals: [string, Script[number], string, unknown][] = [
    [
      'B16: extra keys',
      { calls: [{ name: 'add', args: { a: 1, c: 3 } }] },
      'Tool validation failed: unknown c',
      { a: 1, c: 3 },
    ],
    [
      'B17: a wrong type',
      { calls: [{ name: 'add', args: { a: 'x' } }] },
      'Tool validation failed: a: ',
      { a: 'x' },
    ],
    [
      'an unknown tool',
      { calls: [{ name: 'nope', args: {} }] },
      "There is no tool 'nope'. Tools: add, now, boom.",
      {},
    ],
    [
      'arguments that are not JSON',
      { calls: [{ name: 'add', args: '{"a": nope}' }] },
      'Tool validation failed: the arguments are not valid JSON.',
      '{"a": nope}',
    ],
    ['B18: a handler that throws', { calls: [{ name: 'boom' }] }, "Tool 'boom' execution failed: bang", {}],
    [
      'B22: arguments for a tool without parameters',
      { calls: [{ name: 'now', args: { a: 1 } }] },
      'Tool validation failed: unknown a',
      { a: 1 },
    ],
  ]
  test.each(refusals)(
    '%s: the model gets a failure and the loop goes on',
    async (_name, step, message, params) => {
      let ran = 0
      const now = tool({ name: 'now', description: 'd', handler: () => ok((ran += 1)) })
      const boom = tool({
        name: 'boom',
        description: 'd',
        params: type({}),
        handler: () => {
          throw new Error('bang')
        },
      })
      const { adapter, prompt, session, invoked, answers } = setup([step, done], [add, now, boom])
      await expect(adapter.evaluate(prompt, { session })).resolves.toMatchObject({
        status: 'completed',
        text: 'Done.',
      })
      expect(answers()).toEqual([expect.stringContaining(message)])
      expect(invoked).toMatchObject([{ params, result: { success: false, value: null } }])
      expect(ran).toBe(0)
    },
  )

  test('B22: a tool without parameters works', async () => {
    const now = tool({ name: 'now', description: 'd', handler: (params) => ok(params === undefined) })
    const { adapter, prompt, session, answers } = setup([{ calls: [{ name: 'now' }] }, done], [now])
    await adapter.evaluate(prompt, { session })
    expect(answers()).toEqual(['true'])
  })

  test('B19: an excluded value is kept from the model and published to subscribers', async () => {
    const secret = tool({
      name: 'secret',
      description: 'd',
      handler: () => ok({ key: 'k' }, 'stored', { excludeValueFromContext: true }),
    })
    const { adapter, prompt, session, invoked, answers } = setup(
      [{ calls: [{ name: 'secret' }] }, done],
      [secret],
    )
    await adapter.evaluate(prompt, { session })
    expect(answers()).toEqual(['stored'])
    expect(invoked[0]?.result.value).toEqual({ key: 'k' })
  })

  test('B23: the context carries what evaluate was given', async () => {
    let context: ToolContext | undefined
    const look = tool({
      name: 'look',
      description: 'd',
      handler: (_, given) => ok((context = given) === undefined),
    })
    const { adapter, prompt, session } = setup([{ calls: [{ name: 'look', id: 'c9' }] }, done], [look])
    using deadline = Deadline.after(10_000)
    await adapter.evaluate(prompt, { session, deadline, budget: { maxToolCalls: 3 } })
    expect(context?.deadline).toBe(deadline)
    expect(context?.budget?.consumed.toolCalls).toBe(1)
    expect(context).toMatchObject({ prompt, adapter, callId: 'c9' })
    expect(context?.rendered.text).toBe('## 1. Task (task)\n\nDo it.')
    expect(context?.session.id).toBe(session.id)
  })

  test('that times out fails alone, and its signal aborts', async () => {
    let aborted: unknown
    const slow = tool({
      name: 'slow',
      description: 'd',
      timeoutMs: 20,
      handler: (_, { signal }) =>
        new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted = signal.reason
            reject(signal.reason)
          })
        }),
    })
    const { adapter, prompt, session, answers } = setup([{ calls: [{ name: 'slow' }] }, done], [slow])
    await expect(adapter.evaluate(prompt, { session })).resolves.toMatchObject({ text: 'Done.' })
    expect(answers()).toEqual(["Tool 'slow' execution failed: timed out after 20 ms"])
    expect(aborted).toEqual(new Error('timed out after 20 ms'))
  })

  test('values of a tool go to the slice that has its result schema', async () => {
    const Finding = slice('Finding', z.object({ id: z.number() }))
    const find = tool({
      name: 'find',
      description: 'd',
      result: Finding.schema,
      handler: () => ok({ id: 7 }),
    })
    const { adapter, prompt, session } = setup([{ calls: [{ name: 'find' }] }, done], [find])
    session.add(Finding)
    await adapter.evaluate(prompt, { session })
    expect(session.query(Finding).all()).toEqual([{ id: 7 }])
  })
})

const note = tool({
  name: 'note',
  description: 'Writes a note.',
  params: z.object({
    text: z.string(),
    outcome: z.enum(['ok', 'fail', 'throw']).default('ok'),
    ms: z.number().default(0),
  }),
  async handler({ text, outcome, ms }, { session }) {
    session.dispatch(Noted({ text }))
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms))
    if (outcome === 'throw') throw new Error('bang')
    return outcome === 'ok' ? ok(text) : fail('refused')
  },
})

describe('a transaction', () => {
  test.each(['fail', 'throw'])(
    'B21: a tool that ends with %s leaves no state, and logs stay',
    async (outcome) => {
      const { adapter, prompt, session, invoked } = setup(
        [
          { calls: [{ name: 'note', args: { text: 'kept' } }] },
          { calls: [{ name: 'note', args: { text: 'gone', outcome } }] },
          done,
        ],
        [note],
      )
      const Calls = slice('Calls', z.object({ success: z.boolean() }), 'log')
      session.register(Calls, 'ToolInvoked', (calls, { result }) => [...calls, { success: result.success }])
      await adapter.evaluate(prompt, { session })
      expect(session.query(Note).all()).toEqual([{ text: 'kept' }])
      expect(session.query(Log).all()).toEqual([{ text: 'kept' }, { text: 'gone' }])
      expect(session.query(Calls).all()).toEqual([{ success: true }, { success: false }])
      expect(invoked).toHaveLength(2)
    },
  )

  test('B20: a subscriber that fails rolls the call back, earlier state survives, and the model reads why', async () => {
    const { adapter, prompt, session, answers } = setup(
      [
        { calls: [{ name: 'note', args: { text: 'one' } }] },
        { calls: [{ name: 'note', args: { text: 'two' } }] },
        done,
      ],
      [note],
    )
    const Seen = slice('Seen', z.string())
    session.register(Seen, 'ToolInvoked', (seen, { rendered }) => [...seen, rendered])
    session.bus.on('ToolInvoked', ({ result }) => {
      if (result.value === 'two') throw new Error('no twos')
    })
    await adapter.evaluate(prompt, { session })
    expect(session.query(Note).all()).toEqual([{ text: 'one' }])
    expect(session.query(Seen).all()).toEqual(['one'])
    expect(answers()?.at(-1)).toBe("Subscriber errors prevented applying the result of tool 'note': no twos")
  })

  test('B47: of two parallel calls the failing one loses its writes, the other keeps them', async () => {
    const { adapter, prompt, session } = setup(
      [
        {
          calls: [
            { name: 'note', id: 'a', args: { text: 'bad', outcome: 'throw', ms: 5 } },
            { name: 'note', id: 'b', args: { text: 'good' } },
          ],
        },
        done,
      ],
      [note],
    )
    await adapter.evaluate(prompt, { session })
    expect(session.query(Note).all()).toEqual([{ text: 'good' }])
  })

  test('parallel calls commit in the order in which the model made them', async () => {
    const { adapter, prompt, session, invoked } = setup(
      [
        {
          calls: [
            { name: 'note', id: 'a', args: { text: 'first', ms: 40 } },
            { name: 'note', id: 'b', args: { text: 'second', ms: 20 } },
            { name: 'note', id: 'c', args: { text: 'third' } },
          ],
        },
        done,
      ],
      [note],
    )
    await adapter.evaluate(prompt, { session })
    expect(session.query(Note).all()).toEqual([{ text: 'first' }, { text: 'second' }, { text: 'third' }])
    expect(invoked.map((event) => event.callId)).toEqual(['a', 'b', 'c'])
  })

  test('B46: a handler that outlives the deadline cannot write any more', async () => {
    const clock = manualClock()
    const deadline = Deadline.after(30, clock)
    let speakAgain = (): void => {}
    let late: Promise<unknown> = Promise.resolve()
    const stubborn = tool({
      name: 'stubborn',
      description: 'd',
      handler: (_, { session: view }) => {
        view.dispatch(Noted({ text: 'early' }))
        late = new Promise<void>((resolve) => (speakAgain = resolve)).then(() =>
          view.dispatch(Noted({ text: 'late' })),
        )
        late.catch(() => undefined)
        clock.advance(30)
        return late.then(() => ok(null))
      },
    })
    const { adapter, prompt, session } = setup([{ calls: [{ name: 'stubborn' }] }, done], [stubborn])
    await expect(adapter.evaluate(prompt, { session, deadline })).rejects.toMatchObject({
      name: 'DeadlineExceededError',
      phase: 'tool',
    })
    speakAgain()
    await expect(late).rejects.toThrow('The call of tool "stubborn" is over')
    expect(session.query(Note).all()).toEqual([])
    expect(session.query(Log).all()).toEqual([{ text: 'early' }])
  })
})

describe('tool choice', () => {
  test.each([
    [{ type: 'function', name: 'add' } as const, { type: 'function', function: { name: 'add' } }],
    ['required' as const, 'required'],
  ])('B48: %j holds for the first model call only', async (toolChoice, sent) => {
    const { adapter, prompt, session, model } = setup(
      [{ calls: [{ name: 'add', args: { a: 1 } }] }, done],
      [add],
      { toolChoice },
    )
    await adapter.evaluate(prompt, { session })
    expect(model.seen.map(({ options }) => options['tool_choice'])).toEqual([sent, undefined])
  })
})
