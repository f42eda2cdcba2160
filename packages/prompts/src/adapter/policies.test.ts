import { MemorySaver } from '@langchain/langgraph'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  createSession,
  definePrompt,
  fail,
  LangGraphAdapter,
  ok,
  readBeforeWrite,
  section,
  tool,
  toolOrder,
  type Session,
  type ToolPolicy,
} from '../index.ts'
import { ScriptedModel, type Script } from '../testing/scripted-model.ts'

const path = z.object({ path: z.string() })
const files = new Map([['old', 'x']])
const tools = [
  tool({
    name: 'read',
    description: 'd',
    params: path,
    handler: (given) => files.get(given.path) ?? fail('none'),
  }),
  tool({ name: 'write', description: 'd', params: path, handler: () => ok('written') }),
  tool({ name: 'build', description: 'd', handler: () => ok('built') }),
  tool({ name: 'deploy', description: 'd', handler: () => ok('deployed') }),
  tool({ name: 'risky', description: 'd', params: path, needsApproval: true, handler: () => ok('done') }),
] as const

const promptWith = (policies: readonly ToolPolicy[], key = 'policies') =>
  definePrompt({
    ns: 'test',
    key,
    sections: [section({ key: 'task', title: 'Task', template: 'Do it.', tools })],
    policies,
  }).bind()

/** What each call was answered, in order. */
async function answersTo(
  policies: readonly ToolPolicy[],
  script: Script,
  session: Session = createSession(),
) {
  const model = new ScriptedModel([...script, { text: 'Done.' }])
  await new LangGraphAdapter({ model }).evaluate(promptWith(policies), { session })
  return model.seen
    .at(-1)
    ?.messages.filter((each) => each.getType() === 'tool')
    .map((each) => each.text)
}

const call = (name: string, at?: string, id = `${name}-${at}-${Math.random()}`) => ({
  name,
  args: at === undefined ? {} : { path: at },
  id,
})
const inTurn = (...calls: ReturnType<typeof call>[]): Script => calls.map((each) => ({ calls: [each] }))

describe('readBeforeWrite', () => {
  const policy = readBeforeWrite({
    read: ['read'],
    write: ['write'],
    exists: (target) => files.has(target),
  })
  const refused = `Tool 'write' may not be called now. Read "old" with read before you change it, and wait for the result.`

  test.each([
    ['refuses what was not read', inTurn(call('write', 'old')), [refused]],
    ['lets through what was read', inTurn(call('read', 'old'), call('write', 'old')), ['x', 'written']],
    ['lets through what is new', inTurn(call('write', 'new')), ['written']],
    ['counts no reading that failed', inTurn(call('read', 'none'), call('write', 'old')), ['none', refused]],
    [
      'refuses what is read in the same turn: the model has not seen it',
      [{ calls: [call('read', 'old'), call('write', 'old')] }],
      ['x', refused],
    ],
  ])('%s', async (_name, script, answers) => {
    await expect(answersTo([policy], script)).resolves.toEqual(answers)
  })

  test('remembers in the session, through a snapshot, for this prompt only', async () => {
    const session = createSession()
    await answersTo([policy], inTurn(call('read', 'old')), session)
    const later = createSession()
    later.restore(JSON.stringify(session.snapshot()))
    await expect(answersTo([policy], inTurn(call('write', 'old')), later)).resolves.toEqual(['written'])
    const model = new ScriptedModel([...inTurn(call('write', 'old')), { text: 'Done.' }])
    await new LangGraphAdapter({ model }).evaluate(promptWith([policy], 'other'), { session: later })
    expect(model.seen[1]?.messages.at(-1)?.text).toBe(refused)
  })

  test('a session without policies has no trace of them in its snapshot', () => {
    expect(createSession().snapshot().slices).toEqual({})
  })
})

describe('toolOrder', () => {
  const policy = toolOrder({ deploy: ['build'] })
  const refused = "Tool 'deploy' may not be called now. Call build first, and wait for the result."

  test.each([
    [
      'refuses what comes too early',
      inTurn(call('deploy'), call('build'), call('deploy')),
      [refused, 'built', 'deployed'],
    ],
    ['has nothing against other tools', inTurn(call('write', 'a')), ['written']],
  ])('%s', async (_name, script, answers) => {
    await expect(answersTo([policy], script)).resolves.toEqual(answers)
  })

  test('refuses an order that cannot be', () => {
    expect(() => toolOrder({ a: ['b'], b: ['a'] })).toThrow('No order satisfies a → b → a.')
  })
})

test('a policy of your own is asked before a human is, and again about what the human changed', async () => {
  const asked: unknown[] = []
  const own: ToolPolicy = {
    name: 'own',
    tools: ['risky'],
    check({ params }) {
      asked.push(params)
      return JSON.stringify(params).includes('bad') ? 'Not that.' : undefined
    },
    remember: () => undefined,
  }
  const prompt = promptWith([own])
  const model = new ScriptedModel([
    { calls: [call('risky', 'bad', '1')] },
    { calls: [call('risky', 'good', '2')] },
    { text: 'Done.' },
  ])
  const adapter = new LangGraphAdapter({ model, checkpointer: new MemorySaver() })
  const session = createSession()
  const paused = await adapter.evaluate(prompt, { session })
  if (paused.status !== 'interrupted') throw new Error('It should ask.')
  expect(paused.interrupts).toMatchObject([{ value: { params: { path: 'good' } } }])
  const decision = { approve: true, params: { path: 'bad again' } }
  await adapter.resume(prompt, paused.resumeToken, decision, { session })
  const last = model.seen.at(-1)?.messages.filter((each) => each.getType() === 'tool')
  expect(last?.map((each) => each.text)).toEqual([
    "Tool 'risky' may not be called now. Not that.",
    "Tool 'risky' may not be called now. Not that.",
  ])
  expect(asked.at(-1)).toEqual({ path: 'bad again' })
})

test.each([
  ['names a tool that the prompt does not have', [toolOrder({ deploy: ['test'] })], 'is about test'],
  ['is there twice', [toolOrder({}), toolOrder({})], 'Two policies are named "tool-order".'],
])('a policy that %s is refused at definition', (_name, policies, message) => {
  expect(() => promptWith(policies)).toThrow(message)
})
