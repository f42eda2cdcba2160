import { type } from 'arktype'
import * as v from 'valibot'
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { z } from 'zod'
import { expectTypeOf } from 'vitest'
import { ok } from '../result/tool-result.ts'
import type { Session } from '../session/session.ts'
import { action, slice } from '../session/slice.ts'
import type { Adapter } from './adapter.ts'
import { definePrompt } from './prompt.ts'
import { section } from './section.ts'
import { tool } from './tool.ts'

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
