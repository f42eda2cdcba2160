import { type Envelope, type JsonObject } from '@clewline/core'
import { eachEntry } from '@clewline/core/read'
import { verify } from '@clewline/core/check'
import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
import { expect, onTestFinished, test } from 'vitest'
import { createClewline, type ClewlineOptions } from '../create-clewline.ts'
import type { Run } from '../store/store.ts'
import { chatGraph, userSays } from '../testing/chat-graph.ts'
import { openStore } from '../store/open-store.ts'
import { testStore } from '../testing/test-store.ts'

/** Runs one agent after the other in one service, each on a thread of its own. */
async function service(agents: ClewlineOptions['agents']) {
  const clewline = await createClewline({ store: await testStore(), agents })
  onTestFinished(() => clewline.close({ timeoutMs: 50 }))
  return async (agent: string, input: JsonObject, config = {}): Promise<{ run: Run; log: Envelope[] }> => {
    const { thread_id } = await clewline.threads.create({})
    const { run_id } = (await clewline.runs.create(thread_id, { agent, input, config })).run
    await expect
      .poll(async () => (await clewline.runs.get(thread_id, run_id)).status)
      .not.toMatch(/pending|running/)
    const log: Envelope[] = []
    for await (const { envelope } of eachEntry(clewline.log.read(thread_id, { follow: false })))
      log.push(envelope)
    expect(verify(log)).toEqual([])
    return { run: await clewline.runs.get(thread_id, run_id), log }
  }
}

test('a run that takes longer than its deadline is stopped, and its log says why', async () => {
  const text = Array.from({ length: 500 }, (_, i) => `w${i} `)
  const run = await service({ slow: chatGraph([{ text, delayMs: 10 }]) })
  const late = await run('slow', userSays('go'), { deadline_seconds: 0.2 })
  expect(late.run).toMatchObject({ status: 'error', error: { name: 'DeadlineExceeded' } })
  expect(late.log.at(-1)).toMatchObject({
    type: 'error',
    parent_id: null,
    payload: { class: 'DeadlineExceeded' },
  })
})

test.each([
  ['a getter that throws', Object.defineProperty({}, 'x', { enumerable: true, get: refuse }), /not me/],
  ['more depth than there is stack', nested(20_000), /stack/],
])('a state with %s fails its run with the reason, and no other', async (_what, value, reason) => {
  const run = await service({ odd: holding(value), chat: chatGraph([{ text: 'still here' }]) })
  const odd = await run('odd', {})
  expect(odd.run).toMatchObject({ status: 'error', crashes: 0, error: { name: 'NoState' } })
  expect(odd.run.error?.message).toMatch(reason)
  expect(odd.log.at(-1)).toMatchObject({ type: 'error', parent_id: null, payload: { class: 'NoState' } })
  expect((await run('chat', userSays('hi'))).run).toMatchObject({ status: 'success' })
})

test('a thread whose state cannot be read fails its next run at once, with the reason', async () => {
  const store = await openStore(await testStore())
  let isDamaged = false
  const checkpointer: unknown = new Proxy(Object(store.checkpointer), {
    get(target: object, key) {
      const member: unknown = Reflect.get(target, key, target)
      if (typeof member !== 'function') return member
      if (key === 'getTuple' && isDamaged) return () => Promise.reject(new Error('The state is damaged.'))
      return member.bind(target)
    },
  })
  const clewline = await createClewline({ store: { ...store, checkpointer }, agents: { odd: holding('x') } })
  onTestFinished(() => clewline.close({ timeoutMs: 50 }))
  const { thread_id } = await clewline.threads.create({})
  const ended = async (run_id: string): Promise<Run> => {
    await clewline.runs.create(thread_id, { agent: 'odd', input: {}, run_id })
    await expect.poll(async () => (await clewline.runs.get(thread_id, run_id)).ended_at).not.toBeNull()
    return clewline.runs.get(thread_id, run_id)
  }
  expect(await ended('first')).toMatchObject({ status: 'success' })
  isDamaged = true
  expect(await ended('second')).toMatchObject({ status: 'error', attempt: 1, error: { name: 'NoState' } })
})

function holding(value: unknown, then: unknown = 'fine again') {
  return new StateGraph(Annotation.Root({ value: Annotation<unknown>() }))
    .addNode('first', () => ({ value }))
    .addNode('second', () => ({ value: then }))
    .addEdge(START, 'first')
    .addEdge('first', 'second')
    .addEdge('second', END)
    .compile()
}

function refuse(): never {
  throw new Error('not me')
}

function nested(depth: number): unknown {
  let value: unknown = 'deep down'
  for (let i = 0; i < depth; i++) value = [value]
  return value
}
