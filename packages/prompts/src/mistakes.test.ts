import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  action,
  createBudgetTracker,
  createSession,
  Deadline,
  definePrompt,
  LangGraphAdapter,
  readBeforeWrite,
  section,
  slice,
  tool,
  toolOrder,
} from './index.ts'
import { supervisor, swarm, workerTool } from './langgraph/index.ts'
import { directoryOverrides, memoryOverrides, overrideSection, withOverrides } from './overrides/index.ts'
import { ScriptedModel } from './testing/scripted-model.ts'

/** What plain JavaScript lets through. */
const any = (value?: unknown) => value as never
const base = { key: 'a', title: 'A', template: 'x' }
const ids = { ns: 'n', key: 'k' }
const sections = [section(base)] as const
const template = definePrompt({ ...ids, sections })
const model = new ScriptedModel([{ text: 'Done.' }])
const adapter = new LangGraphAdapter({ model })
const handler = () => 1
const evaluate = (options: object, of: LangGraphAdapter = adapter) =>
  of.evaluate(template.bind(), any({ session: createSession(), ...options }))
const evaluateBy = (options: object) => evaluate({}, new LangGraphAdapter(any({ model, ...options })))
const worker = { name: 'w', description: 'd', prompt: template.bind(), adapter }

const rows: readonly (readonly [string, () => unknown, string])[] = [
  ['no tool', () => tool(any()), 'The options of a tool must be an object.'],
  [
    'a tool without handler',
    () => tool(any({ name: 'a', description: 'd' })),
    '"handler" of a tool must be a function',
  ],
  [
    'a misspelt option, which would leave a tool without approval',
    () => tool(any({ name: 'a', description: 'd', handler, needsAproval: true })),
    'There is no option "needsAproval" of a tool.',
  ],
  [
    'a tool that takes a date',
    () => tool(any({ name: 'a', description: 'd', handler, params: z.object({ d: z.date() }) })),
    'JSON Schema cannot express the parameters of the tool "a"',
  ],
  [
    'a section without title',
    () => section(any({ key: 'a', template: 'x' })),
    '"title" of a section must be text',
  ],
  [
    'tools that are no list',
    () => section(any({ ...base, tools: {} })),
    '"tools" of a section must be a list',
  ],
  ['a tool that is a function', () => section(any({ ...base, tools: [handler] })), 'was not made by tool()'],
  ['a child that is data', () => section(any({ ...base, children: [base] })), 'was not made by section()'],
  [
    'another visibility',
    () => section(any({ ...base, visibility: 'hidden' })),
    'visibility of the section "a" is not known',
  ],
  ['a prompt without sections', () => definePrompt(any(ids)), '"sections" of a prompt must be a list'],
  [
    'a section that is data',
    () => definePrompt(any({ ...ids, sections: [base] })),
    'was not made by section()',
  ],
  [
    'another container',
    () => definePrompt(any({ ...ids, sections, output: z.object({}), container: 'set' })),
    'container of the output of "n.k" is not known',
  ],
  [
    'a policy that is none',
    () => definePrompt(any({ ...ids, sections, policies: [null] })),
    'The options of a policy must be an object.',
  ],
  ['a cyclic parameter', () => cyclic().render(), 'A parameter of section "a" cannot be made text'],
  ['an order of text', () => toolOrder(any({ a: 'b' })), '"a" of toolOrder must be a list'],
  [
    'reading by text',
    () => readBeforeWrite(any({ read: 'r', write: 'w' })),
    '"read" of readBeforeWrite must be a list',
  ],
  ['no adapter', () => new LangGraphAdapter(any()), 'The options of an adapter must be an object.'],
  [
    'a misspelt option of an adapter',
    () => new LangGraphAdapter(any({ modell: 'x' })),
    'There is no option "modell" of an adapter.',
  ],
  [
    'another strategy',
    () => evaluateBy({ outputStrategy: 'xml' }),
    '"outputStrategy" of an adapter cannot be "xml"',
  ],
  [
    'another disclosure',
    () => evaluateBy({ disclosure: 'never' }),
    '"disclosure" of an adapter cannot be "never"',
  ],
  ['a model that is none', () => evaluateBy({ model: {} }), 'The model of the adapter is no chat model.'],
  ['a graph that is none', () => evaluateBy({ graph: {} }), 'The graph of the adapter is none.'],
  [
    'a builder that returns nothing',
    () => evaluateBy({ graph: () => undefined }),
    'The graph of the adapter is none.',
  ],
  [
    'a deadline in milliseconds',
    () => evaluate({ deadline: 5000 }),
    '"deadline" of an evaluation must be an object',
  ],
  [
    'a deadline that is a date',
    () => evaluate({ deadline: new Date() }),
    '"deadline" of an evaluation is of another kind',
  ],
  [
    'a controller for a signal',
    () => evaluate({ signal: new AbortController() }),
    '"signal" of an evaluation is of another kind',
  ],
  [
    'a budget for a tracker',
    () => evaluate({ budgetTracker: { maxTotalTokens: 5 } }),
    '"budgetTracker" of an evaluation is of another kind',
  ],
  ['an input that is a number', () => evaluate({ input: 5 }), 'must be text or a list of messages'],
  [
    'a misspelt limit',
    () => evaluate({ budget: { maxTokens: 5 } }),
    'There is no option "maxTokens" of a budget.',
  ],
  [
    'a limit that is text',
    () => evaluate({ budget: { maxTotalTokens: '5' } }),
    '"maxTotalTokens" of a budget must be a number',
  ],
  ['a thread that is kept nowhere', () => evaluate({ threadId: 't' }), '(threadId) needs a checkpointer'],
  ['no budget', () => createBudgetTracker(any()), 'The options of a budget must be an object.'],
  ['a date that is text', () => Deadline.at(any('2030-01-01')), 'A deadline needs a valid date.'],
  ['a slice without name', () => slice(any(), z.string()), 'A slice needs a name.'],
  ['an action without type', () => action(any(), z.string()), 'An action needs a type.'],
  ['a slice that is a schema', () => createSession({ slices: [any(z.string())] }), 'is no slice'],
  [
    'a handler that is none',
    () => createSession().bus.on('*', any()),
    'The handler of "*" must be a function.',
  ],
  [
    'overrides of a bound prompt',
    () => withOverrides(any(template.bind()), memoryOverrides()),
    'as definePrompt() returns it',
  ],
  ['overrides from nowhere', () => withOverrides(template, any()), 'Overrides need a store.'],
  [
    'an override of numbers',
    () => overrideSection(template, memoryOverrides(), 'a', any({ template: 5 })),
    '"template" of an override must be text',
  ],
  ['no directory', () => directoryOverrides(any()), 'the path of a directory'],
  [
    'a worker that is not bound',
    () => workerTool(any({ ...worker, prompt: template })),
    'of the worker "w" is not bound yet',
  ],
  [
    'a supervisor without workers',
    () => supervisor(any({ ...ids, sections })),
    '"workers" of a supervisor must be a list',
  ],
  ['no swarm', () => swarm(any()), 'The options of a swarm must be an object.'],
]

function cyclic() {
  const value: { self?: unknown } = {}
  value.self = value
  const own = section({ ...base, template: '{{x}}', params: z.object({ x: z.any() }) })
  return definePrompt({ ...ids, sections: [own] }).bind({ x: value })
}

describe('plain JavaScript gets a sentence for', () => {
  test.each(rows)('%s', async (_name, act, message) => {
    await expect((async () => act())()).rejects.toThrow(message)
  })
})

test('a tool or a section may be spread into another', () => {
  const one = tool({ name: 'one', description: 'd', handler })
  const two = tool({ ...one, name: 'two' })
  expect(section(any({ ...section({ ...base, tools: [two] }), key: 'b' }))).toMatchObject({
    key: 'b',
    tools: [two],
  })
})

test('names that objects have by themselves are no parameters', () => {
  const open = section({
    ...base,
    template: '[{{constructor}}][{{__proto__}}][{{x}}]',
    params: z.record(z.string(), z.any()),
  })
  const given: Record<string, unknown> = JSON.parse('{"__proto__":{"x":"polluted"}}')
  const { text } = definePrompt({ ...ids, sections: [open] })
    .bind(given)
    .render()
  expect(text).not.toContain('polluted]')
  expect(text).toContain('[][')
})
