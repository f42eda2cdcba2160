import { MemorySaver } from '@langchain/langgraph'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { action, createSession, definePrompt, LangGraphAdapter, ok, section, slice, tool } from '../index.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

const sections = [section({ key: 'task', title: 'Task', template: 'Do it.' })] as const
const template = definePrompt({ ns: 'test', key: 'mistakes', sections })
const adapter = new LangGraphAdapter({ model: new ScriptedModel([{ text: 'Done.' }]) })
/** What plain JavaScript lets through. */
const unchecked = (value: unknown) => value as never

describe('a mistake of the caller is answered with a sentence', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  beforeEach(() => void process.on('unhandledRejection', note))
  afterEach(() => void process.off('unhandledRejection', note))

  const notBound = {
    code: 'bad-request',
    message: '"test.mistakes" is a template: its parameters are not bound yet.',
    hint: 'Evaluate prompt.bind({ ... }), or prompt.bind() when it has no parameters.',
  }
  const noSession = {
    code: 'bad-request',
    message: 'An evaluation needs a session.',
    hint: 'Pass one: adapter.evaluate(prompt, { session: createSession() }).',
  }
  test.each([
    ['P4: bind() was forgotten', template, { session: createSession() }, notBound],
    ['P4: there is no prompt', undefined, { session: createSession() }, { code: 'bad-request' }],
    ['P7: the session is missing', template.bind(), {}, noSession],
    ['P7: the options are missing', template.bind(), undefined, noSession],
  ])('%s', async (_name, prompt, options, error) => {
    const given = [unchecked(prompt), unchecked(options)] as const
    await expect(adapter.evaluate(...given)).rejects.toMatchObject(error)
    const read = async () => {
      for await (const _ of adapter.stream(...given));
    }
    await expect(read()).rejects.toMatchObject(error)
    await new Promise(setImmediate)
    expect(unhandled).toEqual([])
  })

  const plain: z.ZodType = unchecked({ type: 'object', properties: { a: { type: 'string' } } })
  const old: z.ZodType = unchecked({
    '~standard': { version: 1, vendor: 'zod', validate: () => ({ value: 1 }) },
  })
  const places: readonly (readonly [string, (schema: z.ZodType) => unknown])[] = [
    ['a tool', (schema) => tool({ name: 't', description: 'd', params: schema, handler: () => ok(1) })],
    ['a section', (schema) => section({ key: 's', title: 'S', template: 'x', params: schema })],
    ['an output', (schema) => definePrompt({ ns: 'n', key: 'k', sections, output: schema })],
    ['a slice', (schema) => slice('s', schema)],
    ['an action', (schema) => action('a', schema)],
  ]
  test.each(places)('P7: plain JSON Schema for %s', (_name, define) => {
    expect(() => define(plain)).toThrow(
      expect.objectContaining({
        name: 'PromptDefinitionError',
        message: expect.stringContaining('is plain JSON Schema'),
        hint: 'Wrap it: fromJsonSchema({ type: "object", ... }).',
      }),
    )
  })

  test.each(places)('P7: a schema that cannot print JSON Schema for %s', (_name, define) => {
    expect(() => define(old)).toThrow(
      expect.objectContaining({
        name: 'PromptDefinitionError',
        message: expect.stringContaining('validates, but cannot print JSON Schema'),
      }),
    )
  })
})

describe('P7: a resume token', () => {
  const ask = tool({
    name: 'ask',
    description: 'd',
    handler: (_params, { interrupt }) => ok(String(interrupt('sure?'))),
  })
  const asking = definePrompt({
    ns: 'test',
    key: 'asking',
    sections: [section({ key: 'task', title: 'Task', template: 'Ask.', tools: [ask] })],
  }).bind()
  const twice = new ScriptedModel([
    { calls: [{ name: 'ask', id: '1' }] },
    { calls: [{ name: 'ask', id: '2' }] },
    { text: 'Done.' },
  ])
  const used = {
    code: 'conflict',
    message: 'This token was used already: the evaluation no longer waits for this answer.',
  }

  test.each([
    ['with a conversation of its own', undefined],
    ['on a thread that goes on', 'thread'],
  ])('answers once, %s', async (_name, threadId) => {
    const model = new ScriptedModel([{ calls: [{ name: 'ask' }] }, { text: 'Done.' }])
    const pausing = new LangGraphAdapter({ model, checkpointer: new MemorySaver() })
    const options = { session: createSession(), threadId }
    const paused = await pausing.evaluate(asking, options)
    if (paused.status !== 'interrupted') throw new Error('It should ask.')
    await expect(pausing.resume(asking, paused.resumeToken, 'yes', options)).resolves.toMatchObject({
      text: 'Done.',
    })
    await expect(pausing.resume(asking, paused.resumeToken, 'no', options)).rejects.toMatchObject(used)
    expect(model.seen).toHaveLength(2)
  })

  test('does not answer the question that came after its own', async () => {
    const pausing = new LangGraphAdapter({ model: twice, checkpointer: new MemorySaver() })
    const options = { session: createSession() }
    const first = await pausing.evaluate(asking, options)
    if (first.status !== 'interrupted') throw new Error('It should ask.')
    const second = await pausing.resume(asking, first.resumeToken, 'yes', options)
    expect(second.status).toBe('interrupted')
    await expect(pausing.resume(asking, first.resumeToken, 'yes', options)).rejects.toMatchObject(used)
  })

  test('does not pass the breakpoint that came after its own', async () => {
    const act = tool({ name: 'act', description: 'd', handler: () => ok('acted') })
    const acting = definePrompt({
      ns: 'test',
      key: 'acting',
      sections: [section({ key: 'task', title: 'Task', template: 'Act.', tools: [act] })],
    }).bind()
    const model = new ScriptedModel([
      { calls: [{ name: 'act', id: '1' }] },
      { calls: [{ name: 'act', id: '2' }] },
      { text: 'Done.' },
    ])
    const pausing = new LangGraphAdapter({
      model,
      checkpointer: new MemorySaver(),
      clientConfig: { interruptBefore: ['tools'] },
    })
    const options = { session: createSession() }
    const first = await pausing.evaluate(acting, options)
    if (first.status !== 'interrupted') throw new Error('It should pause.')
    const second = await pausing.resume(acting, first.resumeToken, null, options)
    if (second.status !== 'interrupted') throw new Error('It should pause again.')
    await expect(pausing.resume(acting, first.resumeToken, null, options)).rejects.toMatchObject(used)
    await expect(pausing.resume(acting, second.resumeToken, null, options)).resolves.toMatchObject({
      text: 'Done.',
    })
  })

  test('is used by one of two who use it at once', async () => {
    const model = new ScriptedModel([{ calls: [{ name: 'ask' }] }, { text: 'Done.' }])
    const pausing = new LangGraphAdapter({ model, checkpointer: new MemorySaver() })
    const options = { session: createSession() }
    const paused = await pausing.evaluate(asking, options)
    if (paused.status !== 'interrupted') throw new Error('It should ask.')
    const both = await Promise.allSettled(
      ['yes', 'no'].map((answer) => pausing.resume(asking, paused.resumeToken, answer, options)),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(model.seen).toHaveLength(2)
  })

  test('that is no token is named so', async () => {
    const pausing = new LangGraphAdapter({ model: twice, checkpointer: new MemorySaver() })
    await expect(
      pausing.resume(asking, unchecked(undefined), 'yes', { session: createSession() }),
    ).rejects.toMatchObject({ code: 'bad-request', message: 'This is not a resume token.' })
  })
})
