import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { OutputSpec } from '../prompt/render-prompt.ts'
import { findJson } from './find-json.ts'
import { outputSchemaOf, parseOutput } from './parse-output.ts'

const answer = z.object({ answer: z.string(), sure: z.boolean().default(true) })
const spec = (fields: Partial<OutputSpec> = {}): OutputSpec => ({
  schema: answer,
  container: 'object',
  allowExtraKeys: false,
  ...fields,
})

test.each([
  ['fenced', 'Here:\n```json\n{"a":1}\n```\nDone.', { a: 1 }],
  ['in an unnamed fence', '```\n[1]\n```', [1]],
  ['bare', ' {"a":1} ', { a: 1 }],
  ['embedded', 'I say {"a":"}"} to [that]', { a: '}' }],
  ['after something that only looks like it', 'set {x} then {"a":"\\"{"}', { a: '"{' }],
  ['absent', 'no {json here', undefined],
  ['a lone number', '4', undefined],
])('B39: JSON that is %s', (_name, text, value) => {
  expect(findJson(text)?.value).toEqual(value)
})

describe('output', () => {
  test.each([
    ['defaults apply', spec(), '{"answer":"x"}', { answer: 'x', sure: true }],
    [
      'extra keys pass when allowed',
      spec({ allowExtraKeys: true }),
      '{"answer":"x","more":1}',
      { answer: 'x', sure: true },
    ],
    ['a list', spec({ container: 'array' }), '[{"answer":"x"}]', [{ answer: 'x', sure: true }]],
    [
      'a wrapped list',
      spec({ container: 'array' }),
      '{"items":[{"answer":"x"}]}',
      [{ answer: 'x', sure: true }],
    ],
    ['an empty list', spec({ container: 'array' }), '[]', []],
  ])('B39: %s', async (_name, given, text, value) => {
    expect(await parseOutput(given, text)).toEqual({ ok: true, value })
  })

  test.each([
    ['no JSON', spec(), 'sorry', 'there is no JSON in the answer'],
    ['extra keys', spec(), '{"answer":"x","more":1}', 'unknown more'],
    ['a wrong type', spec(), '{"answer":1}', 'answer: '],
    [
      'an object where a list belongs',
      spec({ container: 'array' }),
      '{"answer":"x"}',
      'a list, or { "items": [...] }, is expected',
    ],
    ['a bad item', spec({ container: 'array' }), '[{"answer":"x"},{}]', 'item 1: answer: '],
  ])('B39: %s does not fit', async (_name, given, text, message) => {
    const checked = await parseOutput(given, text)
    expect(checked).toMatchObject({ ok: false, message: expect.stringContaining(message) })
  })
})

test('the schema for providers is titled, closed, and an object also for lists', () => {
  expect(outputSchemaOf(spec({ container: 'array' }), 'x_schema')).toEqual({
    title: 'x_schema',
    type: 'object',
    properties: {
      items: {
        type: 'array',
        items: {
          type: 'object',
          properties: { answer: { type: 'string' }, sure: { type: 'boolean', default: true } },
          required: ['answer'],
          additionalProperties: false,
        },
      },
    },
    required: ['items'],
    additionalProperties: false,
  })
})
