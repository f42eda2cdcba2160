import { Annotation, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph'
import { type Envelope, isRecord } from '@clewline/core'
import { verify } from '@clewline/core/check'
import { eachEntry } from '@clewline/core/read'
import type { Answer } from '@clewline/core/source'
import { fromGraph } from '@clewline/langgraph'
import type { Death } from '@clewline/langgraph/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../store/open-store.ts'
import type { Run, Store } from '../store/store.ts'
import { mortalStore, type MortalStore, type StoreWrite } from '../testing/mortal-store.ts'
import { threadRow } from '../testing/store-under-test.ts'
import { testStore } from '../testing/test-store.ts'
import { createRuntime, type Runtime } from './create-runtime.ts'

const State = Annotation.Root({
  said: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
})

const asks =
  (...questions: string[]) =>
  () => ({ said: questions.map((question) => `${question} ${String(interrupt(question))}`) })

const asking = (...questions: string[]) =>
  new StateGraph(State)
    .addNode('ask', asks(...questions))
    .addEdge(START, 'ask')
    .addEdge('ask', END)

/** Each asks all of its questions, some in the same node, where LangGraph gives them one id. */
const GRAPHS = {
  'a node that asks twice': asking('staging?', 'production?').compile(),
  'a node that asks three times': asking('one?', 'two?', 'three?').compile(),
  'two nodes at once, of which one asks twice': new StateGraph(State)
    .addNode('left', asks('left?', 'left again?'))
    .addNode('right', asks('right?'))
    .addEdge(START, 'left')
    .addEdge(START, 'right')
    .compile(),
  'nodes that were sent to': new StateGraph(State)
    .addNode('item', ({ said: [name = ''] }) => asks(`${name}?`, `${name} really?`)())
    .addConditionalEdges(START, () => ['a', 'b'].map((name) => new Send('item', { said: [name] })))
    .compile(),
  'a node that asks twice in a graph in a graph': new StateGraph(State)
    .addNode(
      'inner',
      new StateGraph(State)
        .addNode('deep', asking('staging?', 'production?').compile())
        .addEdge(START, 'deep')
        .compile(),
    )
    .addEdge(START, 'inner')
    .compile(),
  'two nodes of a sub-graph that ask one after the other': new StateGraph(State)
    .addNode(
      'inner',
      new StateGraph(State)
        .addNode('first', asks('first?'))
        .addNode('second', asks('second?', 'third?'))
        .addEdge(START, 'first')
        .addEdge('first', 'second')
        .compile(),
    )
    .addEdge(START, 'inner')
    .compile(),
} satisfies Record<string, Parameters<typeof fromGraph>[0]>

type Graph = Parameters<typeof fromGraph>[0]

/** Runs until it has ended, or as long as its process lives. */
interface Process {
  readonly runtime: Runtime
  readonly died: Promise<void>
}

async function start(store: Store, graph: Graph, mortal?: MortalStore): Promise<Process> {
  // Whatever runs belonged to the process that died. (A store that is not shared does this by itself.)
  await store.runs.expireAllLeases()
  const agents = new Map([['asker', fromGraph(graph, { name: 'asker' })]])
  const runtime = await createRuntime(agents, mortal?.store ?? { ...store, close: async () => {} })
  return { runtime, died: mortal?.died ?? new Promise(() => {}) }
}

interface Conversation {
  readonly said: readonly string[]
  /** How often the human was asked. */
  readonly turns: number
  /** How many writes there were until the process died, if it did. */
  readonly writes: number
}

/** A human answers every question with the question, so that an answer to another one shows. One process may die. */
async function converse(
  graph: Graph,
  diesAt: (write: StoreWrite, index: number) => Death | null,
): Promise<Conversation> {
  const store = await openStore(await testStore())
  const heirs: Runtime[] = []
  try {
    return await talk(store, heirs, graph, diesAt)
  } finally {
    for (const heir of heirs) await heir.close({ timeoutMs: 0 })
    await store.close()
  }
}

async function talk(
  store: Store,
  heirs: Runtime[],
  graph: Graph,
  diesAt: (write: StoreWrite, index: number) => Death | null,
): Promise<Conversation> {
  await store.threads.insert(threadRow('t'))
  let writes = 0
  let now = await start(
    store,
    graph,
    mortalStore(store, (write) => diesAt(write, (writes += 1))),
  )

  /** In the process that lives; what dies with it is done again by the next one, as by a client that retries. */
  async function alive<T>(act: (runtime: Runtime) => Promise<T>): Promise<T> {
    for (;;) {
      const done = await Promise.race([
        act(now.runtime).then((value) => ({ value })),
        now.died.then(() => null),
      ])
      if (done !== null) return done.value
      now = await start(store, graph)
      heirs.push(now.runtime)
    }
  }

  for (let turns = 0; turns < 10; turns++) {
    const run_id = `r${turns}`
    const { interrupts } = await alive((runtime) => runtime.threads.state('t'))
    const resume = interrupts.map(({ id, value }) => ({ interrupt_id: id, value }))
    const request = turns === 0 ? { input: { said: [] } } : { resume }
    await alive((runtime) => runtime.runs.create('t', { agent: 'asker', run_id, ...request }))
    const run = await alive((runtime) =>
      vi.waitFor(() => ended(runtime, run_id), { interval: 3, timeout: 30_000 }),
    )
    if (run.status === 'interrupted') continue
    expect(run).toMatchObject({ status: 'success', error: null })
    const log: Envelope[] = []
    for await (const { envelope } of eachEntry(now.runtime.log.read('t', { follow: false })))
      log.push(envelope)
    expect(verify(log)).toEqual([])
    const { values } = await now.runtime.threads.state('t')
    const said = isRecord(values) && Array.isArray(values['said']) ? values['said'].map(String) : []
    return { said, turns, writes }
  }
  throw new Error('The human is asked again and again.')
}

async function ended(runtime: Runtime, run_id: string): Promise<Run> {
  const run = await runtime.runs.get('t', run_id)
  if (run.ended_at === null) throw new Error(`It is ${run.status}.`)
  return run
}

describe.each(Object.entries(GRAPHS))('%s', (_what, graph) => {
  test(
    'gets to every question its own answer, at whichever write the process dies',
    { timeout: 180_000 },
    async () => {
      const whole = await converse(graph, () => null)
      for (const one of whole.said) expect(one).toMatch(/^(.*\?) \1$/)
      const points = Array.from({ length: whole.writes }, (_, i) => i + 1)
      // Mostly waiting for the next attempt: eight at a time.
      while (points.length > 0) {
        await Promise.all(
          points.splice(0, 8).map(async (point) => {
            const { said } = await converse(graph, (_write, index) => (index === point ? 'before' : null))
            expect(said, `died before write ${point} of ${whole.writes}`).toEqual(whole.said)
          }),
        )
      }
    },
  )
})

test('a run that dies between its second question and its end pauses with that question, and uses no answer for it', async () => {
  const graph = GRAPHS['a node that asks twice']
  let settled = 0
  const { said, turns } = await converse(graph, (write) =>
    write.type === 'append' && write.settles && (settled += 1) === 2 ? 'before' : null,
  )
  expect(said).toEqual(['staging? staging?', 'production? production?'])
  expect(turns).toBe(2)
})

describe('two processes on one store', () => {
  const graph = GRAPHS['a node that asks twice']

  async function waiting(): Promise<{ store: Store; runtime: Runtime; question_id: string }> {
    const store = await openStore(await testStore())
    onTestFinished(() => store.close())
    await store.threads.insert(threadRow('t'))
    const { runtime } = await start(store, graph)
    onTestFinished(() => runtime.close({ timeoutMs: 0 }))
    await runtime.runs.create('t', { agent: 'asker', run_id: 'r0', input: { said: [] } })
    await vi.waitFor(() => ended(runtime, 'r0'))
    const { interrupts } = await runtime.threads.state('t')
    return { store, runtime, question_id: interrupts[0]!.question_id! }
  }

  async function answer(runtime: Runtime, run_id: string, answer: Answer): Promise<Run> {
    await runtime.runs.create('t', { agent: 'asker', run_id, resume: [answer] })
    return vi.waitFor(() => ended(runtime, run_id))
  }

  test('refuse the answer to a question that is no longer the open one', async () => {
    const { runtime, question_id } = await waiting()
    const yes = { question_id, value: 'yes' }
    expect(await answer(runtime, 'r1', yes)).toMatchObject({ status: 'interrupted' })
    await expect(answer(runtime, 'r2', yes)).rejects.toMatchObject({ code: 'conflict' })
    const { interrupts, status } = await runtime.threads.state('t')
    expect({ interrupts, status }).toMatchObject({
      status: 'interrupted',
      interrupts: [{ value: 'production?' }],
    })
    // The same request again is the same run.
    expect(await answer(runtime, 'r1', yes)).toMatchObject({ run_id: 'r1' })
  })

  test('use an answer once that both have accepted while the question was open', async () => {
    const { store, runtime } = await waiting()
    let isAccepted = (): void => {}
    let release = (): void => {}
    const accepted = new Promise<void>((resolve) => (isAccepted = resolve))
    const released = new Promise<void>((resolve) => (release = resolve))
    // A replica that has found the question open, and is slow to say so.
    const insert: Store['runs']['insert'] = async (run) => {
      isAccepted()
      await released
      return store.runs.insert(run)
    }
    const agents = new Map([['asker', fromGraph(graph, { name: 'asker' })]])
    const slow = await createRuntime(agents, {
      ...store,
      runs: { ...store.runs, insert },
      close: async () => {},
    })
    onTestFinished(() => slow.close({ timeoutMs: 0 }))
    const second = answer(slow, 'r2', { value: 'yes' })
    await accepted
    expect(await answer(runtime, 'r1', { value: 'yes' })).toMatchObject({ status: 'interrupted' })
    release()
    expect(await second).toMatchObject({ status: 'interrupted' })
    expect(await runtime.threads.state('t')).toMatchObject({
      values: { said: [] },
      interrupts: [{ value: 'production?' }],
    })
    expect(await answer(runtime, 'r3', { value: 'no' })).toMatchObject({ status: 'success' })
    expect((await runtime.threads.state('t')).values).toEqual({ said: ['staging? yes', 'production? no'] })
  })

  test('do not use an answer of a store from before answers were bound once an attempt may have used it', async () => {
    const { store, runtime } = await waiting()
    expect(await answer(runtime, 'r1', { value: 'yes' })).toMatchObject({ status: 'interrupted' })
    const asked = await runtime.runs.get('t', 'r1')
    // As such a store has it: claimed once by a process that died, with the question that it answered not named.
    await store.runs.insert({
      ...asked,
      run_id: 'old',
      status: 'running',
      attempt: 1,
      ended_at: null,
      end_position: null,
      request: { kind: 'resume', answers: [{ value: 'yes' }] },
    })
    const next = await start(store, graph)
    onTestFinished(() => next.runtime.close({ timeoutMs: 0 }))
    expect(await vi.waitFor(() => ended(next.runtime, 'old'))).toMatchObject({ status: 'interrupted' })
    expect(await next.runtime.threads.state('t')).toMatchObject({
      values: { said: [] },
      interrupts: [{ value: 'production?' }],
    })
    expect(await answer(next.runtime, 'r3', { value: 'no' })).toMatchObject({ status: 'success' })
  })
})
