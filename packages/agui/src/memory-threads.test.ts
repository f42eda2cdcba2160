import type { Envelope, Interrupt } from '@clewline/core'
import { verify } from '@clewline/core/check'
import type { RunContext, RunOutcome, RunRequest, Source } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { memoryThreads, type MemoryThreadsOptions } from './memory-threads.ts'
import { gate } from './testing/gate.ts'
import type { StartRun, Threads } from './threads.ts'

const agent = 'agent'
const never = new AbortController().signal
const input = { kind: 'input', input: {} } as const
const question: Interrupt = { id: 'i', value: 'Sure?' }

type Run = (context: RunContext, request: RunRequest) => Promise<RunOutcome>

function threadsOf(run: Run, options: Partial<MemoryThreadsOptions> = {}): Threads {
  const source: Source = {
    name: agent,
    describe: () => ({ name: agent }),
    run: (request, context) => run(context, request),
  }
  return memoryThreads({ agents: { [agent]: source }, ...options })
}

function start(threads: Threads, more: Partial<StartRun> = {}) {
  return threads.start({
    thread_id: 't',
    run_id: 'r',
    agent,
    request: input,
    tools: [],
    configurable: {},
    ...more,
  })
}

async function finished(threads: Threads, more: Partial<StartRun> = {}) {
  const { run_id } = await start(threads, more)
  return await threads.settled(more.thread_id ?? 't', run_id, never)
}

async function logged(threads: Threads, thread_id = 't'): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  for await (const entries of threads.read(thread_id, { after: 0, follow: false, signal: never }))
    for (const { envelope } of entries) envelopes.push(envelope)
  return envelopes
}

const begin = (context: RunContext): void | Promise<void> =>
  context.emit({
    type: 'tool_start',
    path: [],
    agent,
    payload: { tool_name: agent, kind: 'graph', input: {} },
  })

const end = (context: RunContext): void | Promise<void> =>
  context.emit({
    type: 'tool_end',
    path: [],
    agent,
    payload: { tool_name: agent, result: null, status: 'ok' },
  })

const hello: Run = async (context) => {
  await begin(context)
  await end(context)
  return { status: 'success' }
}

const asking: Run = async (context, { kind }) => {
  if (kind === 'resume') {
    await context.emit({
      type: 'subgraph_resume',
      path: [],
      agent,
      payload: { checkpoint_id: 'c', node: '' },
    })
    await end(context)
    return { status: 'success' }
  }
  await begin(context)
  const payload = { checkpoint_id: 'c', node: '', state_digest: '', interrupts: [question] }
  await context.emit({ type: 'subgraph_checkpoint', path: [], agent, payload })
  return { status: 'interrupted', interrupts: [question] }
}

describe.each(['thread', 'trace'] as const)('a run that waits for an answer, keeping the %s,', (keep) => {
  test('stays open, and its answer goes on with the same calls', async () => {
    const threads = threadsOf(asking, { keep })
    expect(await finished(threads)).toMatchObject({ status: 'interrupted' })
    expect((await logged(threads)).map(({ type }) => type)).toEqual(['tool_start', 'subgraph_checkpoint'])
    expect(await threads.state('t')).toMatchObject({ status: 'interrupted', interrupts: [question] })
    const request = { kind: 'resume', answers: [{ value: 'yes' }] } as const
    expect(await finished(threads, { run_id: 'r2', request })).toMatchObject({ status: 'success' })
    const envelopes = await logged(threads)
    expect(verify(envelopes)).toEqual([])
    expect(new Set(envelopes.map(({ call_id }) => call_id)).size).toBe(1)
    expect(await threads.state('t')).toMatchObject({ status: 'idle', interrupts: [] })
  })
})

test('new input closes the calls of a question that stays unanswered', async () => {
  const threads = threadsOf(asking)
  await finished(threads)
  await finished(threads, { run_id: 'r2' })
  const envelopes = await logged(threads)
  expect(envelopes.slice(0, 3).map(({ type }) => type)).toEqual([
    'tool_start',
    'subgraph_checkpoint',
    'tool_end',
  ])
  expect(await threads.state('t')).toMatchObject({ trace_position: 3 })
})

test('a source that throws has failed, and what it left open says so', async () => {
  const threads = threadsOf(async (context) => {
    await begin(context)
    throw new TypeError('broken')
  })
  const error = { name: 'TypeError', message: 'broken' }
  expect(await finished(threads)).toEqual({ status: 'error', position: 2, error })
  expect((await logged(threads)).at(-1)).toMatchObject({ type: 'error', payload: { class: 'TypeError' } })
  expect(await threads.state('t')).toMatchObject({ status: 'error', active_run: null })
})

test('tools and configuration reach the source', async () => {
  let given: RunRequest | undefined
  const threads = threadsOf(async (context, request) => {
    given = request
    return await hello(context, request)
  })
  const tools = [{ name: 'paint', description: '', parameters: {} }]
  await finished(threads, { tools, configurable: { user: 'u' } })
  expect(given).toEqual({ ...input, tools, config: { configurable: { user: 'u' } } })
})

test('a thread has one run at a time; the same run again is the same run', async () => {
  const wait = gate()
  const threads = threadsOf(async (context, request) => {
    await wait.arrive()
    return await hello(context, request)
  })
  const first = await start(threads)
  expect(await start(threads)).toEqual(first)
  await expect(start(threads, { run_id: 'r2' })).rejects.toMatchObject({ code: 'busy' })
  wait.open()
  expect(await threads.settled('t', 'r', never)).toMatchObject({ status: 'success' })
  expect(await finished(threads, { run_id: 'r2' })).toMatchObject({ status: 'success' })
})

test('keeping the trace forgets earlier ones, keeping the thread does not', async () => {
  for (const [keep, count] of [
    ['trace', 2],
    ['thread', 4],
  ] as const) {
    const threads = threadsOf(hello, { keep })
    for (const run_id of ['r1', 'r2']) await finished(threads, { run_id })
    expect(await logged(threads)).toHaveLength(count)
  }
})

test('the threads that were unused the longest are forgotten, with their log', async () => {
  const threads = threadsOf(hello, { limits: { max: 2, idleMs: 60_000 } })
  for (const thread_id of ['a', 'b', 'c']) await finished(threads, { thread_id })
  expect(await threads.state('a')).toBeNull()
  expect(await logged(threads, 'a')).toEqual([])
  expect(await logged(threads, 'c')).toHaveLength(2)
})

test('waiting for a run that stays busy ends when its signal aborts; an unknown one is not found', async () => {
  const wait = gate()
  const threads = threadsOf(async (context, request) => {
    await wait.arrive()
    return await hello(context, request)
  })
  const { run_id } = await start(threads)
  const stop = new AbortController()
  const waiting = threads.settled('t', run_id, stop.signal)
  stop.abort()
  await expect(waiting).rejects.toThrow('aborted')
  await expect(threads.settled('t', 'other', never)).rejects.toMatchObject({ code: 'not-found' })
  wait.open()
})

test('an unknown agent is refused', async () => {
  const threads = threadsOf(hello)
  await expect(start(threads, { agent: 'toString' })).rejects.toMatchObject({ code: 'unknown-agent' })
  expect(await threads.describe('toString')).toBeNull()
})
