import { setTimeout as sleep } from 'node:timers/promises'
import { type Envelope } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import type { Source } from '@clewline/core/source'
import { expect, onTestFinished, test } from 'vitest'
import { fromGraph } from '@clewline/langgraph'
import { sqliteStore } from '../store/sqlite/sqlite-store.ts'
import type { Store } from '../store/store.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from './create-runtime.ts'

const result = { messages: [], files: {}, usage: {} }

/** Speaks until it is stopped, or so many words. It keeps no state: taken up again, it begins again. */
function speaker(words: number, stopped: AbortSignal[] = []): Source {
  return {
    name: 'speaker',
    describe: () => ({ name: 'speaker' }),
    async run(_request, context) {
      stopped.push(context.signal)
      const say = { agent: 'speaker', path: [] }
      await context.emit({
        ...say,
        type: 'tool_start',
        payload: { tool_name: 'speaker', kind: 'graph', input: null },
      })
      for (let i = 0; i < words && !context.signal.aborted; i++) {
        await context.emit({
          ...say,
          type: 'tool_update',
          payload: { tool_name: 'speaker', text: `word ${i}` },
        })
        await sleep(2)
      }
      await context.emit({
        ...say,
        type: 'tool_end',
        payload: { tool_name: 'speaker', result, status: 'ok' },
      })
      return { status: 'success' }
    },
  }
}

/** Runtimes that share a store, as a process does with the successor that was told it was dead. */
function sharing(now = Date.now): (source: Source | null, options?: RuntimeOptions) => Promise<Runtime> {
  const store = sqliteStore(':memory:', { now })
  const kept: Store = { ...store, close: async () => {} }
  onTestFinished(() => store.close())
  return async (source, options) => {
    const agents = new Map(source === null ? [] : [['speaker', source]])
    const runtime = await createRuntime(agents, kept, { stopGraceMs: 20, now, ...options })
    onTestFinished(() => runtime.close({ timeoutMs: 0 }))
    return runtime
  }
}

async function logOf(runtime: Runtime): Promise<Envelope[]> {
  const envelopes: Envelope[] = []
  for await (const { envelope } of eachEntry(runtime.log.read('t', { follow: false })))
    envelopes.push(envelope)
  return envelopes
}

async function started(runtime: Runtime): Promise<void> {
  await runtime.threads.create({ thread_id: 't' })
  await runtime.runs.create('t', { agent: 'speaker', input: null, run_id: 'r' })
  for await (const { position } of eachEntry(runtime.log.read('t'))) if (position > 3) break
}

const statusOf = (runtime: Runtime) => async (): Promise<unknown> => (await runtime.runs.get('t', 'r')).status

test('a worker that has lost its run can append nothing more, and stops', async () => {
  const open = sharing()
  const signals: AbortSignal[] = []
  const zombie = await open(speaker(Infinity, signals))
  await started(zombie)
  const heir = await open(speaker(3))
  await expect.poll(statusOf(heir)).toBe('success')
  await expect.poll(() => signals[0]?.aborted).toBe(true)
  const log = await logOf(heir)
  expect(verify(log)).toEqual([])
  expect(log.findLast(({ type }) => type === 'tool_start')).toMatchObject({ payload: { attempt: 2 } })
  expect(log.filter(({ type }) => type === 'tool_end')).toHaveLength(1)
  expect(await heir.runs.get('t', 'r')).toMatchObject({ attempt: 2, crashes: 1, end_position: log.length })
})

test('a run that is cancelled just as it is claimed is cancelled', async () => {
  const store = sqliteStore(':memory:')
  let isClaimed = (): void => {}
  let answer = (): void => {}
  const claimed = new Promise<void>((resolve) => (isClaimed = resolve))
  const answered = new Promise<void>((resolve) => (answer = resolve))
  // As across a network: the store has the claim before the worker hears of it.
  const claim: Store['runs']['claim'] = async (...args) => {
    const run = await store.runs.claim(...args)
    if (run === null) return null
    isClaimed()
    await answered
    return run
  }
  const cancelPending: Store['runs']['cancelPending'] = async (...args) => {
    const wasPending = await store.runs.cancelPending(...args)
    setImmediate(answer)
    return wasPending
  }
  const slow = chatGraph([{ text: Array.from({ length: 500 }, (_, i) => `w${i} `), delayMs: 10 }])
  const agents = new Map([['slow', fromGraph(slow)]])
  const runtime = await createRuntime(agents, {
    ...store,
    runs: { ...store.runs, claim, cancelPending },
  })
  onTestFinished(() => runtime.close({ timeoutMs: 0 }))
  await runtime.threads.create({ thread_id: 't' })
  await runtime.runs.create('t', { agent: 'slow', input: userSays('x'), run_id: 'r' })
  await claimed
  expect(await runtime.runs.cancel('t', 'r')).toMatchObject({ status: 'cancelled' })
  expect(verify(await logOf(runtime))).toEqual([])
})

test('a machine that slept, or whose clock was set on, takes no run from the process that runs it', async () => {
  let slept = 0
  const open = sharing(() => Date.now() + slept)
  const runtime = await open(speaker(Infinity))
  await started(runtime)
  slept = 3_600_000
  await runtime.threads.create({ thread_id: 'u' })
  await runtime.runs.create('u', { agent: 'speaker', input: null, run_id: 'other' })
  await expect.poll(async () => (await runtime.runs.get('u', 'other')).status).toBe('running')
  expect(await runtime.runs.get('t', 'r')).toMatchObject({ status: 'running', attempt: 1, crashes: 0 })
})

test('a clock that was set back keeps no run waiting that was to begin at once', async () => {
  let setBack = 0
  const open = sharing(() => Date.now() - setBack)
  const runtime = await open(speaker(Infinity))
  await started(runtime)
  await runtime.runs.create('t', { agent: 'speaker', input: null, run_id: 'next' })
  setBack = 3_600_000
  await runtime.runs.cancel('t', 'r')
  await expect.poll(async () => (await runtime.runs.get('t', 'next')).status).toBe('running')
})

test('a run whose agent is gone ends as an error with its calls closed, and frees the thread', async () => {
  const open = sharing()
  await started(await open(speaker(Infinity)))
  const heir = await open(null)
  await expect.poll(statusOf(heir)).toBe('error')
  expect((await heir.runs.get('t', 'r')).error?.message).toContain('No agent is named "speaker"')
  expect(verify(await logOf(heir))).toEqual([])
  expect(await heir.threads.get('t')).toMatchObject({ status: 'error' })
})

test('a run that its process died with too often is given up', async () => {
  const open = sharing()
  await started(await open(speaker(Infinity)))
  const heir = await open(speaker(3), { maxCrashes: 0 })
  await expect.poll(statusOf(heir)).toBe('error')
  expect((await heir.runs.get('t', 'r')).error?.message).toContain('died 1 times')
  expect(verify(await logOf(heir))).toEqual([])
})

test('closing gives a run back, and the next process finishes it without counting a crash', async () => {
  const open = sharing()
  const first = await open(speaker(Infinity))
  await started(first)
  await first.close({ timeoutMs: 0 })
  const heir = await open(speaker(3))
  await expect.poll(statusOf(heir)).toBe('success')
  expect(await heir.runs.get('t', 'r')).toMatchObject({ attempt: 2, crashes: 0 })
  const log = await logOf(heir)
  expect(verify(log)).toEqual([])
  expect(log.filter(({ type }) => type === 'tool_end')).toHaveLength(1)
})

test('a run that died after its last checkpoint and before its end ends, without asking the model again', async () => {
  const open = sharing()
  let asked = 0
  const graph = fromGraph(
    chatGraph(() => {
      asked += 1
      return { text: 'once' }
    }),
  )
  let isAtEnd = (): void => {}
  const atEnd = new Promise<void>((resolve) => (isAtEnd = resolve))
  const dying: Source = {
    ...graph,
    async run(request, context) {
      await graph.run(request, {
        ...context,
        emit: (draft) =>
          draft.type === 'tool_end' && draft.path.length === 0 ? undefined : context.emit(draft),
      })
      isAtEnd()
      return await new Promise(() => {})
    },
  }
  const first = await open(dying)
  await first.threads.create({ thread_id: 't' })
  await first.runs.create('t', { agent: 'speaker', input: userSays('go'), run_id: 'r' })
  await atEnd
  const heir = await open(graph)
  await expect.poll(statusOf(heir)).toBe('success')
  expect(asked).toBe(1)
  const log = await logOf(heir)
  expect(verify(log)).toEqual([])
  expect(log.at(-1)).toMatchObject({ type: 'tool_end', parent_id: null, payload: { status: 'ok' } })
})
