import { type } from 'arktype'
import * as v from 'valibot'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { z } from 'zod'
import { expectTypeOf } from 'vitest'
import { memoryOverrides, withOverrides } from '../overrides/index.ts'
import { fail, ok } from '../result/tool-result.ts'
import type { Session } from '../session/session.ts'
import { action, slice } from '../session/slice.ts'
import type { Adapter } from './adapter.ts'
import { definePrompt } from './prompt.ts'
import { section } from './section.ts'
import { tool, type Tool } from './tool.ts'

declare const adapter: Adapter
declare const session: Session

// Parameters of nested sections are bound as one object.
const task = section({
  key: 'task',
  title: 'Task',
  template: 'Compute {{expr}} for {{ who }}',
  params: z.object({ expr: z.string(), who: z.string() }),
  children: [
    section({
      key: 'tone',
      title: 'Tone',
      template: '{{tone}}',
      params: z.object({ tone: z.enum(['warm', 'dry']) }),
    }),
  ],
})
const plain = section({ key: 'plain', title: 'Plain', template: 'Be brief.' })
const prompt = definePrompt({
  ns: 'n',
  key: 'k',
  sections: [plain, task],
  output: z.object({ answer: z.number() }),
})
const bound = prompt.bind({ expr: '2+2', who: 'me', tone: 'warm' })
expectTypeOf(bound.params.tone).toEqualTypeOf<'warm' | 'dry'>()
// @ts-expect-error a parameter of a nested section is missing
prompt.bind({ expr: '2+2', who: 'me' })
// @ts-expect-error a value of the wrong type
prompt.bind({ expr: 2, who: 'me', tone: 'warm' })
// @ts-expect-error parameters are needed
prompt.bind()
definePrompt({ ns: 'n', key: 'k', sections: [plain] }).bind()

// B3: an unknown placeholder is a compile error.
section({
  key: 'bad',
  title: 'Bad',
  // @ts-expect-error `nope` is no parameter
  template: 'x {{nope}}',
  params: z.object({ yes: z.string() }),
})
// @ts-expect-error a section without parameters has no placeholders
section({ key: 'bad', title: 'Bad', template: 'x {{nope}}' })

// Defaults make parameters optional.
const withDefaults = definePrompt({
  ns: 'n',
  key: 'k',
  sections: [
    section({
      key: 's',
      title: 'S',
      template: '{{a}} {{b}}',
      params: z.object({ a: z.string(), b: z.number() }),
      defaults: { b: 1 },
    }),
  ],
})
withDefaults.bind({ a: 'x' })
withDefaults.bind({ a: 'x', b: 2 })
// @ts-expect-error `a` has no default
withDefaults.bind({ b: 2 })

// Output flows to the response.
const response = await adapter.evaluate(bound, { session })
if (response.status === 'completed') expectTypeOf(response.output).toEqualTypeOf<{ answer: number }>()
else expectTypeOf(response.resumeToken.threadId).toEqualTypeOf<string>()
const list = definePrompt({
  ns: 'n',
  key: 'k',
  sections: [plain],
  output: z.object({ a: z.string() }),
  container: 'array',
})
const listed = await adapter.evaluate(list.bind(), { session })
if (listed.status === 'completed') expectTypeOf(listed.output).toEqualTypeOf<{ a: string }[]>()
const text = await adapter.evaluate(definePrompt({ ns: 'n', key: 'k', sections: [plain] }).bind(), {
  session,
})
if (text.status === 'completed') expectTypeOf(text.output).toEqualTypeOf<undefined>()

// Handlers get what the schema returns, whatever library made it.
tool({
  name: 'zod',
  description: 'd',
  params: z.object({ a: z.number(), b: z.number().default(2) }),
  handler: (params, context) => {
    expectTypeOf(params).toEqualTypeOf<{ a: number; b: number }>()
    expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
    return ok(params.a)
  },
  render: (value) => {
    expectTypeOf(value).toEqualTypeOf<number>()
    return ''
  },
})
tool({
  name: 'ark',
  description: 'd',
  params: type({ q: 'string' }),
  handler: (params) => {
    expectTypeOf(params).toEqualTypeOf<{ q: string }>()
    return ok(null)
  },
})
tool({
  name: 'valibot',
  description: 'd',
  params: toStandardJsonSchema(v.object({ q: v.string() })),
  handler: (params) => {
    expectTypeOf(params).toEqualTypeOf<{ q: string }>()
    return ok(null)
  },
})
tool({
  name: 'none',
  description: 'd',
  handler: (params) => {
    expectTypeOf(params).toEqualTypeOf<undefined>()
    return ok(null)
  },
})

// Slices and actions.
const Plan = slice('Plan', z.object({ goal: z.string() }))
const SetPlan = action('SetPlan', z.object({ goal: z.string() }))
session.register(Plan, SetPlan, (values, event) => {
  expectTypeOf(event).toEqualTypeOf<{ goal: string }>()
  return [...values, event]
})
session.register(Plan, 'ToolInvoked', (values, event) => {
  expectTypeOf(event.name).toEqualTypeOf<string>()
  return values
})
expectTypeOf(session.query(Plan).latest()).toEqualTypeOf<{ goal: string } | undefined>()
// @ts-expect-error the payload has another shape
SetPlan({ aim: 'x' })
// @ts-expect-error a reducer returns values of its slice
session.register(Plan, SetPlan, () => [{ aim: 'x' }])

// P8: an escaped placeholder is text, one beside it is still checked.
section({ key: 'esc', title: 'E', template: 'Write \\{{name}} here.' })
section({
  key: 'esc',
  title: 'E',
  // @ts-expect-error `nope` is no parameter, escaped or not beside it
  template: '\\{{name}} {{nope}}',
  params: z.object({ yes: z.string() }),
})

// P5: a union binds one of its branches, and placeholders may be of any.
const either = definePrompt({
  ns: 'n',
  key: 'k',
  sections: [
    section({
      key: 's',
      title: 'S',
      template: '{{kind}} {{r}} {{side}}',
      params: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('disc'), r: z.number() }),
        z.object({ kind: z.literal('square'), side: z.number() }),
      ]),
    }),
  ],
})
either.bind({ kind: 'disc', r: 1 })
// @ts-expect-error a square has a side
either.bind({ kind: 'square', r: 1 })
const free = section({ key: 's', title: 'S', template: '{{any}}', params: z.record(z.string(), z.number()) })
definePrompt({ ns: 'n', key: 'k', sections: [free] }).bind({ any: 1 })

// P6: the value of a handler is inferred from a result, a bare value, or either by promise.
const returns = { name: 'r', description: 'd' } as const
expectTypeOf(tool({ ...returns, handler: () => ok(1) })).toEqualTypeOf<Tool<'r', undefined, number>>()
expectTypeOf(tool({ ...returns, handler: () => 'x' })).toEqualTypeOf<Tool<'r', undefined, string>>()
expectTypeOf(tool({ ...returns, handler: async () => ok({ a: 1 }) })).toEqualTypeOf<
  Tool<'r', undefined, { a: number }>
>()
tool({ ...returns, handler: () => undefined })
tool({ ...returns, handler: async () => {} })
tool({ ...returns, handler: () => (Math.random() > 0.5 ? fail('no') : ok(1)) })
tool({
  ...returns,
  result: z.number(),
  // @ts-expect-error the result schema says number
  handler: () => 'text',
})

// P4: a template cannot be evaluated, nor a prompt without a session.
// @ts-expect-error bind() is missing
void adapter.evaluate(either, { session })
// @ts-expect-error a session is needed
void adapter.evaluate(bound, {})

// A completion check reads the output of its prompt.
definePrompt({
  ns: 'n',
  key: 'k',
  sections: [plain],
  output: z.object({ a: z.string() }),
  container: 'array',
  completion: ({ output, text: answered }) => {
    expectTypeOf(output).toEqualTypeOf<{ a: string }[]>()
    expectTypeOf(answered).toEqualTypeOf<string | null>()
    return output.length > 0 ? undefined : 'More.'
  },
})

// Overrides keep parameters and output.
const edited = await withOverrides(prompt, memoryOverrides())
expectTypeOf(edited.prompt).toEqualTypeOf<typeof prompt>()
