import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createSession, definePrompt, LangGraphAdapter, ok, section, tool } from '../index.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'

const done = { text: 'Done.' }

describe('sections that are summarized', () => {
  const secret = tool({ name: 'read_secret', description: 'd', handler: () => ok('42') })
  const disclosing = definePrompt({
    ns: 'test',
    key: 'disclosure',
    sections: [
      section({ key: 'task', title: 'Task', template: 'Answer.' }),
      section({
        key: 'docs',
        title: 'Docs',
        template: 'The manual.',
        summary: 'A manual.',
        visibility: 'summary',
        tools: [secret],
      }),
      section({
        key: 'more',
        title: 'More',
        template: 'The annex.',
        summary: 'An annex.',
        visibility: 'summary',
      }),
    ],
  }).bind()
  const open = (...section_keys: string[]) => ({
    calls: [{ name: 'open_sections', args: { section_keys, reason: 'need it' } }],
  })
  const toolsOf = (model: ScriptedModel, at: number) => {
    const tools = model.seen[at]?.options['tools']
    return Array.isArray(tools) ? tools.map((each: { name: string }) => each.name) : []
  }

  test('are opened within the conversation, with their tools', async () => {
    const model = new ScriptedModel([
      { calls: [{ name: 'read_secret' }] },
      open('docs'),
      { calls: [{ name: 'read_secret', id: 'again' }] },
      done,
    ])
    const session = createSession()
    const response = await new LangGraphAdapter({ model }).evaluate(disclosing, { session })
    expect(response).toMatchObject({ status: 'completed', steps: 4 })
    expect(toolsOf(model, 0)).toEqual(['open_sections', 'read_section'])
    expect(toolsOf(model, 2)).toEqual(['read_secret', 'open_sections', 'read_section'])
    const system = (at: number) => model.seen[at]?.messages[0]?.text
    expect(system(1)).not.toContain('The manual.')
    expect(system(2)).toContain('The manual.')
    expect(
      model.seen[3]?.messages.filter((each) => each.getType() === 'tool').map((each) => each.text),
    ).toEqual([
      "There is no tool 'read_secret'. Tools: open_sections, read_section.",
      'Opened docs: see your instructions.',
      '42',
    ])
  })

  test.each([
    [[], 'At least one section key must be provided.'],
    [['nope'], "Section 'nope' does not exist in this prompt."],
    [['task'], "Section 'task' is already expanded."],
  ])('B12: opening %j is a failure that says why', async (keys, message) => {
    const model = new ScriptedModel([open(...keys), done])
    const session = createSession()
    const results: boolean[] = []
    session.bus.on('ToolInvoked', ({ result }) => results.push(result.success))
    await new LangGraphAdapter({ model, disclosure: 'throw' }).evaluate(disclosing, { session })
    expect(model.seen[1]?.messages.at(-1)?.text).toBe(message)
    expect(results).toEqual([false])
  })

  const read = (section_key: string) => ({ calls: [{ name: 'read_section', args: { section_key } }] })

  test.each(['inline', 'restart', 'throw'] as const)(
    'and have no tools are read without changing the instructions, with disclosure "%s"',
    async (disclosure) => {
      const model = new ScriptedModel([read('more'), done])
      const adapter = new LangGraphAdapter({ model, disclosure })
      await adapter.evaluate(disclosing, { session: createSession() })
      expect(model.seen[1]?.messages.at(-1)?.text).toBe('## 3. More (more)\n\nThe annex.')
      expect(model.seen[1]?.messages[0]?.text).toBe(model.seen[0]?.messages[0]?.text)
    },
  )

  test.each([
    ['nope', "Section 'nope' does not exist in this prompt."],
    ['task', "Section 'task' is already shown in full."],
    ['docs', "Section 'docs' has tools: open it with open_sections."],
  ])('reading %j is a failure that says why', async (key, message) => {
    const model = new ScriptedModel([read(key), done])
    await new LangGraphAdapter({ model }).evaluate(disclosing, { session: createSession() })
    expect(model.seen[1]?.messages.at(-1)?.text).toBe(message)
  })

  test('are read with those below them, each as far as it is open itself', async () => {
    const leaf = { title: 'L', template: 'Leaf {{n}}.', params: z.object({ n: z.number() }) } as const
    const nested = definePrompt({
      ns: 'test',
      key: 'nested',
      sections: [
        section({
          key: 'a',
          title: 'A',
          template: 'All of a.',
          summary: 'Short a.',
          visibility: 'summary',
          children: [
            section({ ...leaf, key: 'b' }),
            section({ ...leaf, key: 'c', summary: 'Short c.', visibility: 'summary' }),
          ],
        }),
        section({ key: 'a.b-side', title: 'Beside', template: 'Not below a.' }),
      ],
    }).bind({ n: 7 })
    const model = new ScriptedModel([read('a'), read('a.c'), done])
    await new LangGraphAdapter({ model }).evaluate(nested, { session: createSession() })
    const answers = model.seen[2]?.messages.filter((each) => each.getType() === 'tool')
    expect(answers?.map((each) => each.text)).toEqual([
      '## 1. A (a)\n\nAll of a.\n\n### 1.1. L (a.b)\n\nLeaf 7.\n\n### 1.2. L (a.c)\n\nShort c.\n\n---\n[This section is summarized. To view full content, call `read_section` with key "a.c".]',
      '### 1.2. L (a.c)\n\nLeaf 7.',
    ])
  })

  test('B13: with disclosure "throw" the request leaves evaluate and is no tool message', async () => {
    const model = new ScriptedModel([open('docs'), done])
    const session = createSession()
    const types: string[] = []
    session.bus.on('*', ({ type: each }) => types.push(each))
    const adapter = new LangGraphAdapter({ model, disclosure: 'throw' })
    await expect(adapter.evaluate(disclosing, { session })).rejects.toMatchObject({
      name: 'VisibilityExpansionRequired',
      overrides: { docs: 'full' },
      reason: 'need it',
    })
    expect(model.seen).toHaveLength(1)
    expect(types).toEqual(['PromptRendered', 'ModelCalled'])
  })

  test('B14: with disclosure "restart" session and budget go on and what was opened stays open', async () => {
    const model = new ScriptedModel([
      { ...open('docs'), usage: [10, 1] },
      { ...open('more'), usage: [10, 1] },
      { ...done, usage: [10, 1] },
    ])
    const session = createSession()
    const adapter = new LangGraphAdapter({ model, disclosure: 'restart' })
    await adapter.evaluate(disclosing, { session, budget: { maxTotalTokens: 33 } })
    const last = model.seen.at(-1)?.messages
    expect(last?.map((each) => each.getType())).toEqual(['system', 'human'])
    expect(last?.[0]?.text).toContain('The manual.')
    expect(last?.[0]?.text).toContain('The annex.')
    const poor = new LangGraphAdapter({
      model: new ScriptedModel([
        { ...open('docs'), usage: [10, 1] },
        { ...done, usage: [10, 1] },
      ]),
      disclosure: 'restart',
    })
    await expect(
      poor.evaluate(disclosing, { session, budget: { maxTotalTokens: 21 } }),
    ).rejects.toMatchObject({
      name: 'BudgetExceededError',
      consumed: { totalTokens: 22 },
    })
  })
})
