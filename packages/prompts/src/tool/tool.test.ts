import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readApproval } from './approval.ts'
import { fail, ok, renderToolResult } from './tool-result.ts'
import { tool } from './tool.ts'

const handler = () => ok(null)

describe('definition', () => {
  test.each([
    '',
    'Upper',
    'white space',
    'a'.repeat(65),
    'ünder',
    'open_sections',
    'submit_output',
    'extract-x',
  ])('B8: the name %j is rejected', (name) => {
    expect(() => tool({ name, description: 'd', handler })).toThrow(
      expect.objectContaining({ code: 'bad-config' }),
    )
  })

  test.each(['', '  ', 'x'.repeat(201)])('B8: the description %j is rejected', (description) => {
    expect(() => tool({ name: 'x', description, handler })).toThrow('must have 1 to 200 characters')
  })

  test('the longest name and description pass', () => {
    expect(tool({ name: 'a'.repeat(64), description: 'x'.repeat(200), handler }).name).toHaveLength(64)
  })

  test('B22: a tool without parameters is shown as one that takes none', () => {
    expect(tool({ name: 'now', description: 'd', handler }).inputSchema).toEqual({
      type: 'object',
      properties: {},
      additionalProperties: false,
    })
  })

  test('parameters that are no object are rejected', () => {
    expect(() => tool({ name: 'x', description: 'd', params: z.string(), handler })).toThrow(
      'are not an object',
    )
  })

  test('a timeout must be positive', () => {
    expect(() => tool({ name: 'x', description: 'd', timeoutMs: 0, handler })).toThrow('must be positive')
  })
})

test.each([
  ['B15: message, blank line, JSON', ok({ answer: 'a' }, 'm'), 'm\n\n{"answer":"a"}'],
  ['a list', ok([{ a: 1 }, { a: 2 }], 'm'), 'm\n\n[{"a":1},{"a":2}]'],
  ['an empty list', ok([]), '[]'],
  ['no nulls, but in lists', ok({ a: null, b: [null] }), '{"b":[null]}'],
  ['text stays text', ok('plain', 'm'), 'm\n\nplain'],
  ['a number', ok(4), '4'],
  ['bytes', ok(new TextEncoder().encode('hi')), 'hi'],
  ['a bigint', ok({ n: 10n }), '{"n":"10"}'],
  ['nothing but the message', ok(null, 'm'), 'm'],
  ['a failure', fail('no'), 'no'],
  ['B19: an excluded value', ok({ secret: 1 }, 'm', { excludeValueFromContext: true }), 'm'],
])('the model reads %s', (_name, result, text) => {
  expect(renderToolResult(result)).toBe(text)
})

test('a renderer of its own decides, and one that throws is passed over', () => {
  expect(renderToolResult(ok(4, 'm'), (value) => `<${String(value)}>`)).toBe('m\n\n<4>')
  const broken = () => {
    throw new Error('no')
  }
  expect(renderToolResult(ok(4), broken)).toBe('4')
})

test.each([
  [true, { approved: true }],
  [{ approve: true }, { approved: true }],
  [
    { approved: true, params: { a: 1 } },
    { approved: true, params: { a: 1 } },
  ],
  [{ decisions: [{ type: 'approve' }] }, { approved: true }],
  [
    { type: 'edit', editedAction: { name: 'x', args: { a: 2 } } },
    { approved: true, params: { a: 2 } },
  ],
  [
    { type: 'reject', message: 'too risky' },
    { approved: false, reason: 'too risky' },
  ],
  [
    { approve: false, reason: 'no' },
    { approved: false, reason: 'no' },
  ],
  [false, { approved: false, reason: 'no reason was given' }],
  ['yes', { approved: false, reason: 'no reason was given' }],
  [undefined, { approved: false, reason: 'no reason was given' }],
])('the answer %j is read as %j', (answer, approval) => {
  expect(readApproval(answer)).toEqual(approval)
})
