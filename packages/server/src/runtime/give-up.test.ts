import { type Envelope } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { eachEntry } from '@clewline/core/read'
import type { Source } from '@clewline/core/source'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { threadRow } from '../testing/store-under-test.ts'
import { testStore } from '../testing/test-store.ts'
import { createRuntime, type Runtime, type RuntimeOptions } from './create-runtime.ts'

/** Its state cannot be read, so that no attempt comes as far as its first step. */
const unreadable = (attempts: number[] = []): Source => ({
  name: 'agent',
  describe: () => ({ name: 'agent' }),
  async state() {
    attempts.push(performance.now())
    throw new TypeError('the state is of another world')
  },
  run: async () => ({ status: 'success' }),
})

/** Works until it is stopped. */
const endless = (): Source => ({
  name: 'agent',
  describe: () => ({ name: 'agent' }),
  async run(_request, context) {
    const payload = { tool_name: 'agent', kind: 'graph', input: null } as const
    await context.emit({ type: 'tool_start', path: [], agent: 'agent', payload })
    await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
    return { status: 'cancelled' }
  },
})

async function newStore(): Promise<Store> {
  const store = await openStore(await testStore())
  onTestFinished(() => store.close())
  await store.threads.insert(threadRow('t'))
  return store
}

async function open(store: Store, source: Source, options: RuntimeOptions = {}): Promise<Runtime> {
  const kept = { ...store, close: async () => {} }
  const runtime = await createRuntime(new Map([['agent', source]]), kept, { stopGraceMs: 50, ...options })
  onTestFinished(() => runtime.close({ timeoutMs: 0 }))
  return runtime
}

async function logOf(runtime: Runtime): Promise<Envelope[]> {
  const log: Envelope[] = []
  for await (const { envelope } of eachEntry(runtime.log.read('t', { follow: false }))) log.push(envelope)
  return log
}

const begin = (runtime: Runtime): Promise<unknown> =>
  runtime.runs.create('t', { agent: 'agent', input: null, run_id: 'r' })

test('a run whose attempts fail before their first step is tried again less and less often, and given up', async () => {
  const attempts: number[] = []
  const store = await newStore()
  const runtime = await open(store, unreadable(attempts), { maxCrashes: 3 })
  await begin(runtime)
  await expect.poll(async () => (await runtime.runs.get('t', 'r')).status, { timeout: 10_000 }).toBe('error')
  const run = await runtime.runs.get('t', 'r')
  expect(run.error).toEqual({ name: 'TypeError', message: 'the state is of another world' })
  expect(attempts).toHaveLength(4)
  const waits = attempts.slice(1).map((at, i) => at - attempts[i]!)
  expect(waits[0]).toBeGreaterThanOrEqual(50)
  expect(waits[2]).toBeGreaterThanOrEqual(200)
  const log = await logOf(runtime)
  expect(verify(log)).toEqual([])
  expect(log.at(-1)).toMatchObject({ type: 'error', parent_id: null })
  expect(await runtime.threads.get('t')).toMatchObject({ status: 'error' })
})

test('a run is not given up because its store was unavailable, however often', async () => {
  let failures = 4
  const source: Source = {
    ...unreadable(),
    async state() {
      if (failures-- > 0) throw Object.assign(new Error('the disk is full'), { code: 'SQLITE_FULL' })
      return { values: {}, next: [], interrupts: [], checkpoint_id: null }
    },
  }
  const store = { ...(await newStore()), isUnavailable: () => true }
  const runtime = await open(store, source, { maxCrashes: 1 })
  await begin(runtime)
  await expect
    .poll(async () => (await runtime.runs.get('t', 'r')).status, { timeout: 15_000 })
    .toBe('success')
  expect(await runtime.runs.get('t', 'r')).toMatchObject({ attempt: 5 })
})

test('a run that waits for its next attempt is cancelled at once, and no other run takes its turn before', async () => {
  const attempts: number[] = []
  const runtime = await open(await newStore(), unreadable(attempts), { maxCrashes: 50 })
  await begin(runtime)
  await runtime.runs.create('t', { agent: 'agent', input: null, run_id: 'next' })
  await expect.poll(() => attempts.length).toBe(4)
  expect(await runtime.runs.get('t', 'next')).toMatchObject({ status: 'pending', attempt: 0 })
  const before = performance.now()
  expect(await runtime.runs.cancel('t', 'r')).toMatchObject({ status: 'cancelled' })
  expect(performance.now() - before).toBeLessThan(300)
  expect(verify(await logOf(runtime))).toEqual([])
  await expect.poll(async () => (await runtime.runs.get('t', 'next')).attempt).toBeGreaterThan(0)
})

/** Goes on from the number of steps that it has saved, and dies after the next one: with its process, as often as asked. */
const stepping = (deaths: number, step: () => number): Source => ({
  ...endless(),
  async run(_request, context) {
    const of = { agent: 'agent' }
    const begun = { tool_name: 'agent', kind: 'graph', input: null } as const
    await context.emit({ ...of, type: 'tool_start', path: [], payload: begun })
    const n = step()
    const path = [`step-${n}`]
    await context.emit({
      ...of,
      type: 'tool_start',
      path,
      payload: { tool_name: 'step', kind: 'tool', args: {} },
    })
    await context.emit({
      ...of,
      type: 'tool_end',
      path,
      payload: { tool_name: 'step', result: n, status: 'ok' },
    })
    if (n < deaths)
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }))
    await context.emit({
      ...of,
      type: 'tool_end',
      path: [],
      payload: { tool_name: 'agent', result: null, status: 'ok' },
    })
    return { status: 'success' }
  },
})

test.each([
  ['that gets on with every attempt is not given up, however often its process dies', true],
  ['whose attempts all end where the first one did is given up', false],
])('a run %s', async (_what, getsOn) => {
  const store = await newStore()
  let attempts = 0
  const source = stepping(6, () => (getsOn ? (attempts += 1) : 1))
  const runtime = await open(store, source, { maxCrashes: 2 })
  await begin(runtime)
  const stand = async (): Promise<{ steps: number; crashes: number; status: string }> => {
    const steps = (await logOf(runtime)).filter(
      ({ type, parent_id }) => type === 'tool_end' && parent_id !== null,
    )
    const { crashes, status } = await runtime.runs.get('t', 'r')
    return { steps: steps.length, crashes, status }
  }
  const lives = getsOn ? 6 : 3
  for (let life = 1; life <= lives; life++) {
    await expect.poll(stand).toMatchObject({ steps: life, crashes: getsOn ? 0 : life - 1 })
    // As if the process had died: its worker finds that it has lost the run, and the next one takes it.
    await store.runs.expireAllLeases()
    await open(store, source, { maxCrashes: 2 })
  }
  await expect.poll(stand).toMatchObject({ status: getsOn ? 'success' : 'error' })
})

test('a run whose worker is dead is cancelled, and its thread removed, though no worker is there to take it', async () => {
  const store = await newStore()
  const runtime = await open(store, endless(), { concurrency: 0 })
  await begin(runtime)
  // A worker of another process, which dies with it.
  expect(await store.runs.claim('dead', 200)).toMatchObject({ run_id: 'r' })
  expect(await runtime.runs.cancel('t', 'r')).toMatchObject({ status: 'cancelled' })
  expect(verify(await logOf(runtime))).toEqual([])
  await runtime.runs.create('t', { agent: 'agent', input: null, run_id: 's' })
  expect(await store.runs.claim('dead', 200)).toMatchObject({ run_id: 's' })
  await runtime.threads.remove('t')
  expect(await store.runs.get('s')).toBeNull()
})
