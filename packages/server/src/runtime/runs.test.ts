import { setTimeout as sleep } from 'node:timers/promises'
import { type Envelope } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import type { RunContext, Source } from '@clewline/core/source'
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline, type Clewline, type ClewlineOptions } from '../create-clewline.ts'
import type { Run } from '../store/store.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { testStore } from '../testing/test-store.ts'

async function open(options: ClewlineOptions): Promise<Clewline> {
  const clewline = await createClewline({ store: await testStore(), ...options })
  onTestFinished(() => clewline.close({ timeoutMs: 50 }))
  return clewline
}

/** Waits for a run to be over, by what the service announces. */
async function over(clewline: Clewline, thread: string, run_id: string): Promise<Run> {
  return await new Promise((resolve, reject) => {
    const look = (run: Run): void => {
      if (run.status === 'pending' || run.status === 'running') return
      stop()
      resolve(run)
    }
    const stop = clewline.bus.subscribe((change) => {
      if (change.type === 'run' && change.run.run_id === run_id) look(change.run)
    })
    clewline.runs.get(thread, run_id).then(look, reject)
  })
}

async function logOf(clewline: Clewline, thread: string): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  for await (const { envelope } of eachEntry(clewline.log.read(thread, { follow: false })))
    envelopes.push(envelope)
  return envelopes
}

const slow = () => chatGraph([{ text: Array.from({ length: 500 }, (_, i) => `w${i} `), delayMs: 10 }])

const asking = () =>
  new StateGraph(MessagesAnnotation)
    .addNode('left', async () => ({
      messages: [{ role: 'user', content: `left ${String(interrupt('left?'))}` }],
    }))
    .addNode('right', async () => ({
      messages: [{ role: 'user', content: `right ${String(interrupt('right?'))}` }],
    }))
    .addEdge(START, 'left')
    .addEdge(START, 'right')
    .addEdge('left', END)
    .addEdge('right', END)
    .compile()

test('a run on a busy thread waits its turn, and both are in the log one after the other', async () => {
  const clewline = await open({
    agents: { chat: chatGraph((prompt) => ({ text: `turn ${prompt.turn}`, delayMs: 5 })) },
  })
  await clewline.threads.create({ thread_id: 't' })
  const first = await clewline.runs.create('t', { agent: 'chat', input: userSays('one') })
  const second = await clewline.runs.create('t', { agent: 'chat', input: userSays('two') })
  expect(await over(clewline, 't', second.run.run_id)).toMatchObject({ status: 'success' })
  expect(await over(clewline, 't', first.run.run_id)).toMatchObject({ status: 'success' })
  const log = await logOf(clewline, 't')
  expect(verify(log)).toEqual([])
  expect([...new Set(log.map(({ run_id }) => run_id))]).toEqual([first.run.run_id, second.run.run_id])
})

test('on_busy "reject" refuses, "cancel" stops what runs and goes ahead', async () => {
  const clewline = await open({ agents: { slow: slow() } })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', { agent: 'slow', input: userSays('x') })
  await expect(
    clewline.runs.create('t', { agent: 'slow', input: {}, on_busy: 'reject' }),
  ).rejects.toMatchObject({ code: 'busy' })
  const next = await clewline.runs.create('t', { agent: 'slow', input: userSays('y'), on_busy: 'cancel' })
  expect(await clewline.runs.get('t', run.run_id)).toMatchObject({ status: 'cancelled' })
  await clewline.runs.cancel('t', next.run.run_id)
  expect(verify(await logOf(clewline, 't'))).toEqual([])
  expect(await clewline.threads.get('t')).toMatchObject({ status: 'idle' })
})

test('cancel reaches the model amid its answer and closes every call', async () => {
  const clewline = await open({ agents: { slow: slow() } })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', { agent: 'slow', input: userSays('x') })
  for await (const { envelope } of eachEntry(clewline.log.read('t'))) if (envelope.type === 'llm_token') break
  expect(await clewline.runs.cancel('t', run.run_id)).toMatchObject({ status: 'cancelled' })
  const log = await logOf(clewline, 't')
  expect(verify(log)).toEqual([])
  // Of 500 words; how soon it is over is for `npm run bench -- latency` to show.
  expect(log.filter(({ type }) => type === 'llm_token').length).toBeLessThan(400)
  expect(log.at(-1)).toMatchObject({ type: 'tool_end', payload: { status: 'cancelled' } })
})

test('a pending run can be cancelled before it starts, and says nothing', async () => {
  const clewline = await open({ agents: { slow: slow() } })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', { agent: 'slow', input: {}, after_seconds: 3600 })
  expect(await clewline.runs.cancel('t', run.run_id)).toMatchObject({ status: 'cancelled', started_at: null })
  expect(await logOf(clewline, 't')).toEqual([])
})

test('a delayed run starts when it is due', async () => {
  const clewline = await open({ agents: { chat: chatGraph([{ text: 'hi' }]) } })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', { agent: 'chat', input: userSays('x'), after_seconds: 0.2 })
  expect(await clewline.runs.get('t', run.run_id)).toMatchObject({ status: 'pending' })
  const ended = await over(clewline, 't', run.run_id)
  expect(ended.status).toBe('success')
  expect(Date.parse(ended.started_at ?? '') - Date.parse(ended.created_at)).toBeGreaterThanOrEqual(200)
})

test('a delayed run is not late because another thread has a queue', async () => {
  const clewline = await open({ agents: { slow: slow(), chat: chatGraph([{ text: 'hi' }]) } })
  for (const thread_id of ['busy', 't']) await clewline.threads.create({ thread_id })
  for (const input of ['first', 'queued']) {
    await clewline.runs.create('busy', { agent: 'slow', input: userSays(input) })
  }
  const { run } = await clewline.runs.create('t', { agent: 'chat', input: userSays('x'), after_seconds: 0.3 })
  const ended = await over(clewline, 't', run.run_id)
  expect(Date.parse(ended.started_at ?? '') - Date.parse(ended.run_at)).toBeLessThan(1_500)
})

test('a run that takes longer than its deadline ends as an error', async () => {
  const clewline = await open({ agents: { slow: slow() } })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', {
    agent: 'slow',
    input: userSays('x'),
    config: { deadline_seconds: 0.1 },
  })
  expect(await over(clewline, 't', run.run_id)).toMatchObject({
    status: 'error',
    error: { name: 'DeadlineExceeded' },
  })
  expect(verify(await logOf(clewline, 't'))).toEqual([])
})

test('the same run_id is the same run, and of one thread only', async () => {
  const clewline = await open({ agents: { chat: chatGraph([{ text: 'hi' }]) } })
  await clewline.threads.create({ thread_id: 't' })
  await clewline.threads.create({ thread_id: 'u' })
  const wanted = { agent: 'chat', input: userSays('x'), run_id: 'r' }
  await clewline.runs.create('t', wanted)
  await clewline.runs.create('t', wanted)
  expect(await clewline.runs.list('t')).toHaveLength(1)
  await expect(clewline.runs.create('u', wanted)).rejects.toMatchObject({ code: 'conflict' })
})

test('several interrupts are answered at once by their ids; a wrong id is refused and the thread goes on waiting', async () => {
  const clewline = await open({ agents: { ask: asking() } })
  await clewline.threads.create({ thread_id: 't' })
  const first = await clewline.runs.create('t', { agent: 'ask', input: userSays('x') })
  expect(await over(clewline, 't', first.run.run_id)).toMatchObject({ status: 'interrupted' })
  const { interrupts, status } = await clewline.threads.state('t')
  // On SQLite in the order in which they were asked; LangGraph's saver for Postgres has no order.
  expect({ status, questions: new Set(interrupts.map(({ value }) => value)) }).toEqual({
    status: 'interrupted',
    questions: new Set(['left?', 'right?']),
  })
  await expect(
    clewline.runs.create('t', { agent: 'ask', resume: [{ interrupt_id: 'none', value: 1 }] }),
  ).rejects.toMatchObject({ code: 'bad-request' })
  await expect(clewline.runs.create('t', { agent: 'ask', resume: [{ value: 1 }] })).rejects.toMatchObject({
    code: 'bad-request',
  })
  const answers = interrupts.map(({ id, value }) => ({
    interrupt_id: id,
    value: `${JSON.stringify(value)} yes`,
  }))
  const second = await clewline.runs.create('t', { agent: 'ask', resume: answers })
  expect(await over(clewline, 't', second.run.run_id)).toMatchObject({
    status: 'success',
    trace_id: first.run.trace_id,
  })
  expect(verify(await logOf(clewline, 't'))).toEqual([])
  expect(JSON.stringify((await clewline.threads.state('t')).values)).toContain('yes')
})

test('of several answers that come at once, one is taken and the others are refused', async () => {
  const clewline = await open({ agents: { ask: asking() } })
  await clewline.threads.create({ thread_id: 't' })
  const first = await clewline.runs.create('t', { agent: 'ask', input: userSays('x') })
  await over(clewline, 't', first.run.run_id)
  const { interrupts } = await clewline.threads.state('t')
  const resume = interrupts.map(({ id }) => ({ interrupt_id: id, value: 'yes' }))
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, () => clewline.runs.create('t', { agent: 'ask', resume })),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
  expect(results[1]).toMatchObject({ reason: { code: 'conflict' } })
  const [last] = await clewline.runs.list('t', 1)
  expect(await over(clewline, 't', last?.run_id ?? '')).toMatchObject({ status: 'success' })
  expect(verify(await logOf(clewline, 't'))).toEqual([])
})

test('a question whose answer made the run fail is not asked any more, and new input goes on', async () => {
  const strict = new StateGraph(MessagesAnnotation)
    .addNode('ask', async () => {
      if (interrupt('sure?') !== 'yes') throw new Error('not an answer')
      return {}
    })
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile()
  const clewline = await open({ agents: { strict, chat: chatGraph([{ text: 'hi' }]) } })
  await clewline.threads.create({ thread_id: 't' })
  const first = await clewline.runs.create('t', { agent: 'strict', input: userSays('x') })
  await over(clewline, 't', first.run.run_id)
  const second = await clewline.runs.create('t', { agent: 'strict', resume: [{ value: 'hm' }] })
  expect(await over(clewline, 't', second.run.run_id)).toMatchObject({ status: 'error' })
  expect(await clewline.threads.state('t')).toMatchObject({ status: 'error', interrupts: [] })
  const third = await clewline.runs.create('t', { agent: 'chat', input: userSays('y') })
  expect(await over(clewline, 't', third.run.run_id)).toMatchObject({ status: 'success' })
  expect(verify(await logOf(clewline, 't'))).toEqual([])
})

test('new input on a thread that waits closes what waited, and the log keeps its rules', async () => {
  const clewline = await open({ agents: { ask: asking(), chat: chatGraph([{ text: 'hi' }]) } })
  await clewline.threads.create({ thread_id: 't' })
  const first = await clewline.runs.create('t', { agent: 'ask', input: userSays('x') })
  await over(clewline, 't', first.run.run_id)
  const second = await clewline.runs.create('t', { agent: 'chat', input: userSays('y') })
  expect(await over(clewline, 't', second.run.run_id)).toMatchObject({ status: 'success' })
  const log = await logOf(clewline, 't')
  expect(verify(log)).toEqual([])
  expect(
    log.find(
      ({ type, parent_id, run_id }) =>
        type === 'tool_end' && parent_id === null && run_id === first.run.run_id,
    ),
  ).toMatchObject({ payload: { status: 'cancelled' } })
})

const scripted = (run: Source['run']): Source => ({ name: 's', describe: () => ({ name: 's' }), run })
const begin = (context: RunContext) =>
  context.emit({
    type: 'tool_start',
    path: [],
    agent: 's',
    payload: { tool_name: 's', kind: 'graph', input: null },
  })

test('a call that goes silent gets one warning in the log and in the metrics', async () => {
  const silent = scripted(async (_request, context) => {
    await begin(context)
    await sleep(400, undefined, { signal: context.signal })
    await context.emit({
      type: 'tool_end',
      path: [],
      agent: 's',
      payload: { tool_name: 's', result: { messages: [], files: {}, usage: {} }, status: 'ok' },
    })
    return { status: 'success' }
  })
  const clewline = await open({ agents: { silent }, silentSeconds: 0.1 })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', { agent: 'silent', input: null })
  await over(clewline, 't', run.run_id)
  const warnings = (await logOf(clewline, 't')).filter(({ type }) => type === 'warning')
  expect(warnings).toMatchObject([{ payload: { code: 'silent-call' } }])
  expect(await clewline.metrics.registry.metrics()).toContain('clewline_warnings_total{code="silent-call"} 1')
})

test.each<[string, Source['run'], Partial<Run>]>([
  [
    'rejects',
    async () => Promise.reject(new TypeError('boom')),
    { status: 'error', error: { name: 'TypeError', message: 'boom' } },
  ],
  [
    'says success without an end',
    async (_request, context) => {
      await begin(context)
      return { status: 'success' }
    },
    { status: 'success' },
  ],
  [
    'fails before its first word',
    async () => ({ status: 'error', error: { name: 'E', message: 'no' } }),
    { status: 'error' },
  ],
])('a source that %s still leaves a log that keeps the rules', async (_what, run, expected) => {
  const clewline = await open({ agents: { odd: scripted(run) } })
  await clewline.threads.create({ thread_id: 't' })
  const created = await clewline.runs.create('t', { agent: 'odd', input: null })
  expect(await over(clewline, 't', created.run.run_id)).toMatchObject(expected)
  const log = await logOf(clewline, 't')
  expect(log.length).toBeGreaterThan(0)
  expect(verify(log)).toEqual([])
})

test('a source that does not stop when told to does not hold the thread', async () => {
  const stubborn = scripted(async (_request, context) => {
    await begin(context)
    return await new Promise(() => {})
  })
  const clewline = await open({ agents: { stubborn }, stopGraceMs: 50 })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', { agent: 'stubborn', input: null })
  for await (const _entries of clewline.log.read('t')) break
  expect(await clewline.runs.cancel('t', run.run_id)).toMatchObject({ status: 'cancelled' })
  expect(verify(await logOf(clewline, 't'))).toEqual([])
})

test('a thread can be forked at a question and answered there, without touching the first one', async () => {
  const clewline = await open({ agents: { ask: asking() } })
  await clewline.threads.create({ thread_id: 't' })
  const { run } = await clewline.runs.create('t', { agent: 'ask', input: userSays('x') })
  await over(clewline, 't', run.run_id)
  const fork = await clewline.forks.fork('t', {})
  expect(fork.status).toBe('interrupted')
  const { interrupts } = await clewline.threads.state(fork.thread_id)
  const resumed = await clewline.runs.create(fork.thread_id, {
    agent: 'ask',
    resume: interrupts.map(({ id }) => ({ interrupt_id: id, value: 'ok' })),
  })
  expect(await over(clewline, fork.thread_id, resumed.run.run_id)).toMatchObject({ status: 'success' })
  const log = await logOf(clewline, fork.thread_id)
  expect(verify(log)).toEqual([])
  expect(log[0]).toMatchObject({ origin: 'replay' })
  expect(await clewline.threads.get('t')).toMatchObject({ status: 'interrupted' })
})

test('a thread can be forked before a message, to say something else instead', async () => {
  const clewline = await open({
    agents: { chat: chatGraph((prompt) => ({ text: `answer ${prompt.turn}` })) },
  })
  await clewline.threads.create({ thread_id: 't' })
  for (const [i, content] of ['one', 'two'].entries()) {
    const input = { messages: [{ role: 'user', content, id: `m${i}` }] }
    const { run } = await clewline.runs.create('t', { agent: 'chat', input })
    await over(clewline, 't', run.run_id)
  }
  const fork = await clewline.forks.fork('t', { before_message_id: 'm1' })
  const { values } = await clewline.threads.state(fork.thread_id)
  const said = JSON.stringify(values)
  expect([said.includes('one'), said.includes('answer 0'), said.includes('two')]).toEqual([true, true, false])
  expect(verify(await logOf(clewline, fork.thread_id))).toEqual([])
  const { run } = await clewline.runs.create(fork.thread_id, { agent: 'chat', input: userSays('three') })
  expect(await over(clewline, fork.thread_id, run.run_id)).toMatchObject({ status: 'success' })
  expect(verify(await logOf(clewline, fork.thread_id))).toEqual([])
  const first = await clewline.forks.fork('t', { before_message_id: 'm0' })
  const again = await clewline.runs.create(first.thread_id, { agent: 'chat', input: userSays('zero') })
  expect(await over(clewline, first.thread_id, again.run.run_id)).toMatchObject({ status: 'success' })
  expect(JSON.stringify((await clewline.threads.state(first.thread_id)).values)).not.toContain('one')
  await expect(clewline.forks.fork('t', { before_message_id: 'm9' })).rejects.toMatchObject({
    code: 'not-found',
  })
})
