import { MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import type { Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { frontendTools } from '@clewline/langgraph/frontend-tools'
import { recordRun } from '@clewline/langgraph/testing'
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
  type LangGraphAdapterOptions,
} from '../index.ts'
import { supervisor } from '../langgraph/index.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { ScriptedModel, type Script } from '../testing/scripted-model.ts'
import { fromPrompt, type FromPromptOptions } from './index.ts'

const Note = slice('Note', z.string())
const Noted = action('Noted', z.string())
const session = (id: string) => createSession({ id }).register(Note, Noted, (notes, note) => [...notes, note])
const note = tool({
  name: 'note',
  description: 'd',
  params: z.object({ text: z.string() }),
  handler({ text }, { session: view, progress }) {
    progress(`writing ${text}`)
    view.dispatch(Noted(text))
    return ok(view.query(Note).all())
  },
})
const ask = tool({
  name: 'ask',
  description: 'd',
  handler: (_, { interrupt }) => ok(interrupt('sure?')),
})
const template = definePrompt({
  ns: 'test',
  key: 'source',
  name: 'writer',
  sections: [
    section({
      key: 'task',
      title: 'Task',
      template: 'Write for {{who}}.',
      params: z.object({ who: z.string() }),
      tools: [note, ask],
    }),
  ],
})
const input = (text: string) => ({
  kind: 'input' as const,
  input: { params: { who: 'me' }, messages: [{ role: 'user', content: text }] },
})
const writing = (text: string) => ({
  calls: [{ name: 'note', id: `note-${text}`, args: { text } }],
  usage: [10, 5] as const,
})
const done = { text: 'All done.', usage: [20, 5] as const }

const sourceOf = (script: Script, options: FromPromptOptions = {}, adapter: LangGraphAdapterOptions = {}) => {
  const model = new ScriptedModel(script)
  return {
    model,
    source: fromPrompt(new LangGraphAdapter({ model, ...adapter }), template, { session, ...options }),
  }
}
const types = (envelopes: readonly Envelope[]) =>
  envelopes
    .filter((each) => each.type !== 'llm_token' && each.type !== 'subgraph_checkpoint')
    .map((each) => each.type)
const warnings = (envelopes: readonly Envelope[]) =>
  envelopes.flatMap((each) => (each.type === 'warning' ? [each.payload] : []))
const budgets = (envelopes: readonly Envelope[]) =>
  envelopes.flatMap((each) =>
    each.type === 'tool_update' &&
    each.payload.delta?.state !== undefined &&
    'budget' in each.payload.delta.state
      ? [each.payload.delta.state['budget']]
      : [],
  )

describe('a prompt as a source', () => {
  test('runs with its tools, says what they do, and keeps the rules of the stream', async () => {
    const { model, source } = sourceOf([writing('a'), done])
    const { outcome, envelopes } = await recordRun(source, input('Go.'), { checkpointer: new MemorySaver() })
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    expect(types(envelopes)).toEqual([
      'tool_start',
      'tool_start',
      'llm_start',
      'llm_end',
      'tool_end',
      'tool_start',
      'tool_start',
      'tool_update',
      'tool_end',
      'tool_end',
      'tool_start',
      'llm_start',
      'llm_end',
      'tool_end',
      'tool_end',
    ])
    expect(envelopes[0]).toMatchObject({ agent: 'writer', payload: { kind: 'graph', tool_name: 'writer' } })
    expect(envelopes.at(-1)?.payload).toMatchObject({ status: 'ok', result: { usage: { total_tokens: 40 } } })
    expect(model.seen[0]?.messages.map((each) => each.text)).toEqual([
      '## 1. Task (task)\n\nWrite for me.',
      'Go.',
    ])
  })

  test('shows how far a tool is: words, a bar, or data', async () => {
    const told = ['half way', { done: 1, total: 2 }, { rows: 3 }]
    const slow = tool({
      name: 'note',
      description: 'd',
      handler: (_, { progress }) => (told.forEach((each) => progress(each)), ok(null)),
    })
    const prompt = definePrompt({
      ns: 'test',
      key: 'progress',
      sections: [section({ key: 'task', title: 'Task', template: 'Go.', tools: [slow] })],
    })
    const model = new ScriptedModel([{ calls: [{ id: 'c', name: 'note', args: {} }] }, done])
    const source = fromPrompt(new LangGraphAdapter({ model }), prompt.bind())
    const { envelopes } = await recordRun(source, { kind: 'input', input: 'Go.' })
    expect(envelopes.flatMap((one) => (one.type === 'tool_update' ? [one.payload] : []))).toEqual([
      { tool_name: 'note', text: 'half way' },
      { tool_name: 'note', progress: { done: 1, total: 2 } },
      { tool_name: 'note', data: { rows: 3 } },
    ])
  })

  test('describes its input and output', async () => {
    const { source } = sourceOf([done], { name: 'scribe', description: 'Writes.' })
    expect(await source.describe()).toEqual({
      name: 'scribe',
      description: 'Writes.',
      input_schema: {
        type: 'object',
        properties: {
          messages: { type: 'array', items: { type: 'object' } },
          params: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
        },
      },
    })
  })

  test('a bound prompt takes text as it is', async () => {
    const model = new ScriptedModel([done])
    const source = fromPrompt(new LangGraphAdapter({ model }), template.bind({ who: 'you' }), { session })
    const { outcome } = await recordRun(source, { kind: 'input', input: 'Hello.' })
    expect(outcome).toEqual({ status: 'success' })
    expect(model.seen[0]?.messages.map((each) => each.text)).toEqual([
      '## 1. Task (task)\n\nWrite for you.',
      'Hello.',
    ])
  })

  test('a thread keeps its conversation and its session, also for a source made anew', async () => {
    const checkpointer = new MemorySaver()
    const first = sourceOf([writing('a'), done])
    const { thread_id } = await recordRun(first.source, input('One.'), { checkpointer })
    const second = sourceOf([writing('b'), done])
    const { outcome } = await recordRun(second.source, input('Two.'), { checkpointer, thread_id })
    expect(outcome).toEqual({ status: 'success' })
    expect(second.model.seen[1]?.messages.map((each) => each.getType())).toEqual([
      'system',
      'human',
      'ai',
      'tool',
      'ai',
      'human',
      'ai',
      'tool',
    ])
    expect(second.model.seen[1]?.messages.at(-1)?.text).toBe('["a","b"]')
    const state = await second.source.state?.({ thread_id, checkpointer })
    expect(state).toMatchObject({ next: [], interrupts: [] })
  })

  test('pauses at the tool that asks, and another process goes on', async () => {
    const checkpointer = new MemorySaver()
    const { source } = sourceOf([
      {
        calls: [
          { name: 'note', id: 'n', args: { text: 'once' } },
          { name: 'ask', id: 'a' },
        ],
        usage: [10, 5],
      },
    ])
    const paused = await recordRun(source, input('Go.'), { checkpointer })
    expect(paused.outcome).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: 'sure?', tool_call_id: 'a' }],
    })

    const later = sourceOf([done], { budget: { maxTotalTokens: 40 } })
    const resumed = await recordRun(
      later.source,
      { kind: 'resume', answers: [{ value: 'yes' }] },
      { checkpointer, thread_id: paused.thread_id },
    )
    expect(resumed.outcome).toEqual({ status: 'success' })
    expect(later.model.seen[0]?.messages.slice(-2).map((each) => each.text)).toEqual(['["once"]', 'yes'])
    expect(budgets(resumed.envelopes)).toEqual([{ dimension: 'total_tokens', used: 40, limit: 40 }])

    const again = sourceOf([{ calls: [{ name: 'ask', id: 'a' }] }, done])
    const first = await recordRun(again.source, input('Go.'), { checkpointer })
    const together = await first.next({ kind: 'resume', answers: [{ value: 'no' }] })
    expect(together.outcome).toEqual({ status: 'success' })
    expect(verify(together.envelopes)).toEqual([])
  })

  test('shows the budget after each model call, warns when it gets tight, and fails when it is used up', async () => {
    const { source } = sourceOf([writing('a'), done], { budget: { maxTotalTokens: 45, maxModelCalls: 9 } })
    const fine = await recordRun(source, input('Go.'))
    expect(budgets(fine.envelopes)).toEqual([
      { dimension: 'total_tokens', used: 15, limit: 45 },
      { dimension: 'total_tokens', used: 40, limit: 45 },
    ])
    expect(warnings(fine.envelopes)).toEqual([
      {
        code: 'budget',
        message: '89 % of the budget is used (total tokens).',
        dimension: 'total_tokens',
        used: 40,
        limit: 45,
      },
    ])

    const poor = sourceOf([writing('a'), done], { budget: { maxTotalTokens: 30 } })
    const failed = await recordRun(poor.source, input('Go.'))
    expect(failed.outcome).toEqual({
      status: 'error',
      error: { name: 'BudgetExceededError', message: 'The budget allows 30 total tokens; 40 were used.' },
    })
    expect(warnings(failed.envelopes)).toMatchObject([{ code: 'budget', used: 40, limit: 30 }])
    expect(verify(failed.envelopes)).toEqual([])
  })

  test('warns of a busy provider', async () => {
    const busy = Object.assign(new Error('busy'), { status: 429 })
    const { source } = sourceOf(
      [{ error: busy }, done],
      {},
      { clock: manualClock({ auto: true }), throttle: { random: () => 0 } },
    )
    const { outcome, envelopes } = await recordRun(source, input('Go.'))
    expect(outcome).toEqual({ status: 'success' })
    expect(warnings(envelopes)).toEqual([
      {
        code: 'throttled',
        message: 'The provider is busy; trying again in 500 ms.',
        kind: 'rate_limit',
        attempts: 1,
        delay_ms: 500,
      },
    ])
    expect(verify(envelopes)).toEqual([])
  })

  test('is stopped by its deadline, and by a cancel', async () => {
    const slow = sourceOf([{ ...done, delayMs: 5000 }], { deadlineMs: 150 })
    const late = await recordRun(slow.source, input('Go.'))
    expect(late.outcome).toMatchObject({ status: 'error', error: { name: 'DeadlineExceededError' } })
    expect(verify(late.envelopes)).toEqual([])

    const controller = new AbortController()
    const { source } = sourceOf([{ ...done, delayMs: 5000 }])
    const onEnvelope = ({ type }: Envelope) => type === 'llm_start' && controller.abort()
    const cancelled = await recordRun(source, input('Go.'), { signal: controller.signal, onEnvelope })
    expect(cancelled.outcome).toEqual({ status: 'cancelled' })
    expect(verify(cancelled.envelopes)).toEqual([])
  })

  test('drains at the next step and is taken up from there, with its session', async () => {
    const checkpointer = new MemorySaver()
    const drain = new AbortController()
    const { source } = sourceOf([writing('a'), done])
    const onEnvelope = ({ type, payload }: Envelope) =>
      type === 'tool_start' && 'kind' in payload && payload.kind === 'tool' && drain.abort()
    const drained = await recordRun(source, input('Go.'), { checkpointer, drain: drain.signal, onEnvelope })
    expect(drained.outcome).toEqual({ status: 'drained' })
    const recovered = await drained.next({ kind: 'recover' })
    expect(recovered.outcome).toEqual({ status: 'success' })
    expect(verify(recovered.envelopes)).toEqual([])
    const more = sourceOf([writing('b'), done])
    await recordRun(more.source, input('More.'), { checkpointer, thread_id: drained.thread_id })
    expect(more.model.seen[1]?.messages.at(-1)?.text).toBe('["a","b"]')
  })

  test('a fork goes on from the conversation and the session as they were', async () => {
    const checkpointer = new MemorySaver()
    const { source } = sourceOf([writing('a'), done, writing('b'), done])
    const { thread_id } = await recordRun(source, input('One.'), { checkpointer })
    const [newest] = (await source.checkpoints?.({ thread_id, checkpointer })) ?? []
    await recordRun(source, input('Two.'), { checkpointer, thread_id })
    await source.fork?.(newest?.checkpoint_id ?? '', 'fork', { thread_id, checkpointer })
    const other = sourceOf([writing('c'), done])
    const { outcome } = await recordRun(other.source, input('Three.'), { checkpointer, thread_id: 'fork' })
    expect(outcome).toEqual({ status: 'success' })
    expect(other.model.seen[1]?.messages.at(-1)?.text).toBe('["a","c"]')
  })

  test('a graph of the user, and agents inside of tools, are seen too', async () => {
    const graph: LangGraphAdapterOptions['graph'] = (tools, { model }) =>
      new StateGraph(MessagesAnnotation)
        .addNode('think', async ({ messages }) => ({
          messages: [await model.bindTools?.(tools).invoke(messages)],
        }))
        .addNode('tools', new ToolNode(tools))
        .addEdge('__start__', 'think')
        .addConditionalEdges('think', toolsCondition, ['tools', '__end__'])
        .addEdge('tools', 'think')
        .compile()
    const inner = new LangGraphAdapter({ model: new ScriptedModel([done]) })
    const worker = {
      name: 'poet',
      description: 'Rhymes.',
      adapter: inner,
      prompt: template.bind({ who: 'all' }),
    }
    const boss = supervisor({ ns: 't', key: 'boss', name: 'boss', sections: [], workers: [worker] })
    const model = new ScriptedModel([
      { calls: [{ name: 'ask_poet', id: 'p', args: { task: 'rhyme' } }] },
      done,
    ])
    const { outcome, envelopes } = await recordRun(
      fromPrompt(new LangGraphAdapter({ model, graph }), boss, { session }),
      { kind: 'input', input: 'Go.' },
    )
    expect(outcome).toEqual({ status: 'success' })
    expect(verify(envelopes)).toEqual([])
    const starts = envelopes.flatMap((each) => (each.type === 'tool_start' ? [each.payload.kind] : []))
    expect(starts).toEqual(['graph', 'node', 'node', 'tool', 'subgraph', 'node', 'node'])
    expect(envelopes.filter((each) => each.type === 'llm_end')).toHaveLength(3)
  })

  test('a tool of the client reaches the model, ends the run, and its result is brought by the next', async () => {
    const checkpointer = new MemorySaver()
    const script = [{ calls: [{ name: 'pick_color', id: 'c', args: {} }] }, done]
    const { model, source } = sourceOf(script, {}, { middleware: [frontendTools()] })
    const tools = [
      { name: 'pick_color', description: 'Asks the user.', parameters: { type: 'object', properties: {} } },
    ]
    const first = await recordRun(source, { ...input('Go.'), tools }, { checkpointer })
    expect(first.outcome).toEqual({ status: 'success' })
    expect(
      first.envelopes.filter((each) => each.type === 'tool_end').map((each) => each.payload.status),
    ).toContain('pending_frontend')
    const answer = { role: 'tool', tool_call_id: 'c', content: 'red' }
    const again = { kind: 'input' as const, input: { params: { who: 'me' }, messages: [answer] }, tools }
    const second = await recordRun(source, again, { checkpointer, thread_id: first.thread_id })
    expect(second.outcome).toEqual({ status: 'success' })
    expect(model.seen[1]?.messages.at(-1)?.text).toBe('red')
  })

  test('bad parameters are an error that says what is missing', async () => {
    const { source } = sourceOf([done])
    const { outcome, envelopes } = await recordRun(source, { kind: 'input', input: { messages: [] } })
    expect(outcome).toMatchObject({
      status: 'error',
      error: { name: 'PromptRenderError', message: expect.stringContaining('section "task"') },
    })
    expect(verify(envelopes)).toEqual([])
  })
})
