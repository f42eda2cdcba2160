import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { closeObjects, unknownKeys } from './close-objects.ts'
import { fromJsonSchema } from './from-json-schema.ts'
import { inputSchemaOf, validate, validateNow, type Schema } from './schema.ts'

const tree: z.ZodType = z.lazy(() => z.object({ name: z.string(), kids: z.array(tree) }))

test.each([
  ['zod', z.object({ a: z.object({ b: z.string() }) }), { a: { b: 'x', c: 1 }, d: 2 }, ['a.c', 'd']],
  ['arktype', type({ a: { b: 'string' } }), { a: { b: 'x', c: 1 }, d: 2 }, ['a.c', 'd']],
  [
    'valibot',
    toStandardJsonSchema(v.object({ a: v.object({ b: v.string() }) })),
    { a: { b: 'x', c: 1 }, d: 2 },
    ['a.c', 'd'],
  ],
  [
    'lists',
    z.object({ l: z.array(z.object({ x: z.number() })) }),
    { l: [{ x: 1 }, { x: 1, y: 2 }] },
    ['l[1].y'],
  ],
  [
    'tuples',
    z.object({ t: z.tuple([z.object({ x: z.number() }), z.string()]) }),
    { t: [{ x: 1, y: 2 }, 's'] },
    ['t[0].y'],
  ],
  [
    'records',
    z.object({ r: z.record(z.string(), z.object({ x: z.number() })) }),
    { r: { any: { x: 1, y: 2 } } },
    ['r.any.y'],
  ],
  ['open objects', z.looseObject({ a: z.string() }), { a: 'x', b: 1 }, []],
  [
    'unions take the best branch',
    z.object({ u: z.union([z.object({ k: z.string() }), z.object({ k: z.string(), q: z.string() })]) }),
    { u: { k: 'x', q: 'y' } },
    [],
  ],
  [
    'recursion',
    z.object({ root: tree }),
    { root: { name: 'a', kids: [{ name: 'b', kids: [], more: 1 }] } },
    ['root.kids[0].more'],
  ],
  [
    'names of the prototype',
    z.object({ a: z.string() }),
    JSON.parse('{"a":"x","__proto__":1,"constructor":2}'),
    ['__proto__', 'constructor'],
  ],
] satisfies [string, Schema, unknown, string[]][])(
  'unknown keys are found in %s',
  (_name, schema, value, keys) => {
    expect(unknownKeys(closeObjects(inputSchemaOf(schema)), value)).toEqual(keys)
  },
)

test('a schema from JSON Schema validates and says where it does not fit', async () => {
  const schema = fromJsonSchema({ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] })
  expect(await validate(schema, { a: 1 })).toEqual({ ok: true, value: { a: 1 } })
  expect(await validate(schema, { a: 'x' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('a: '),
  })
})

test('an asynchronous schema is refused where validation is synchronous', () => {
  const slow = z.object({ a: z.string().refine(async () => true) })
  expect(validateNow(slow, { a: 'x' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('asynchronously'),
  })
})
