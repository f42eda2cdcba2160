import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { closeObjects } from './close-objects.ts'
import { fromJsonSchema } from './from-json-schema.ts'
import { inputSchemaOf, type Schema } from './schema.ts'
import { dropAbsent, strictSchema } from './strict-schema.ts'

const closed = (schema: Schema) => closeObjects(inputSchemaOf(schema))

describe('a strict schema', () => {
  test.each([
    [
      'requires optional fields and lets them be null',
      z.object({ a: z.string(), b: z.number().optional() }),
      { a: { type: 'string' }, b: { type: ['number', 'null'] } },
    ],
    [
      'leaves what is nullable as it is',
      z.object({ a: z.string().nullable().optional() }),
      { a: { type: ['string', 'null'] } },
    ],
    [
      'lets an optional choice be null',
      z.object({ a: z.enum(['x', 'y']).optional() }),
      { a: { anyOf: [{ type: 'string', enum: ['x', 'y'] }, { type: 'null' }] } },
    ],
    [
      'drops keywords that strict mode refuses, which our own validation still checks',
      z.object({ a: z.string().min(2).default('xx'), b: z.email(), c: z.url() }),
      {
        a: { type: ['string', 'null'] },
        b: { type: 'string', format: 'email' },
        c: { type: 'string' },
      },
    ],
    [
      'goes into lists and objects',
      z.object({ a: z.array(z.object({ b: z.string().optional() })) }),
      {
        a: {
          type: 'array',
          items: {
            type: 'object',
            properties: { b: { type: ['string', 'null'] } },
            required: ['b'],
            additionalProperties: false,
          },
        },
      },
    ],
  ])('%s', (_name, schema, properties) => {
    expect(strictSchema(closed(schema))).toEqual({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    })
  })

  test('offers the branches of a union by anyOf', () => {
    const either = z.object({
      shape: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('dot') }),
        z.object({ kind: z.literal('disc'), r: z.number().optional() }),
      ]),
    })
    expect(strictSchema(closed(either))).toMatchObject({
      properties: {
        shape: { anyOf: [{ required: ['kind'] }, { required: ['kind', 'r'] }] },
      },
    })
  })

  test.each([
    ['a record', z.object({ a: z.record(z.string(), z.number()) })],
    ['an open object', z.object({ a: z.looseObject({ b: z.string() }) })],
    ['anything', z.object({ a: z.unknown() })],
    ['a tuple', z.object({ a: z.tuple([z.string(), z.number()]) })],
    ['an intersection', fromJsonSchema({ allOf: [{ type: 'object' }, { required: ['a'] }] })],
  ])('does not exist for %s', (_name, schema) => {
    expect(strictSchema(closed(schema))).toBeUndefined()
  })
})

describe('a null for an optional field', () => {
  interface Tree {
    readonly name: string
    readonly left?: Tree | undefined
  }
  const Tree: z.ZodType<Tree, Tree> = z.object({
    name: z.string(),
    get left() {
      return Tree.optional()
    },
  })
  test.each([
    ['is absent', z.object({ a: z.string().optional() }), { a: null }, {}],
    [
      'stays when the field may be null',
      z.object({ a: z.string().nullable().optional() }),
      { a: null },
      { a: null },
    ],
    ['stays when the field is required', z.object({ a: z.string() }), { a: null }, { a: null }],
    [
      'is absent in lists',
      z.object({ a: z.array(z.object({ b: z.string().optional() })) }),
      { a: [{ b: null }, { b: 'x' }] },
      { a: [{}, { b: 'x' }] },
    ],
    [
      'is absent in the branch that fits',
      z.object({
        a: z.discriminatedUnion('k', [
          z.object({ k: z.literal(1), b: z.string().nullable() }),
          z.object({ k: z.literal(2), b: z.string().optional() }),
        ]),
      }),
      { a: { k: 2, b: null } },
      { a: { k: 2 } },
    ],
    [
      'is absent in a recursion',
      z.object({ t: Tree }),
      { t: { name: 'a', left: { name: 'b', left: null } } },
      { t: { name: 'a', left: { name: 'b' } } },
    ],
    ['is of no interest in other values', z.object({ a: z.string() }), 'text', 'text'],
  ])('%s', (_name, schema, given, read) => {
    expect(dropAbsent(closed(schema), given)).toEqual(read)
  })
})
