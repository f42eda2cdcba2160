import { expect, test } from 'vitest'
import { fail, ok, renderToolResult } from './tool-result.ts'

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
