import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { jsonSpans, parseJsonObject } from './extract-json.ts'
import { findTextTools } from './find-text-tools.ts'
import { ToolMessage } from './tool-message.ts'

const Square = ToolMessage({
  request: 'square',
  purpose: '',
  fields: z.object({ number: z.number() }),
  handle: () => '',
})
const Search = ToolMessage({
  request: 'search',
  purpose: '',
  fields: z.object({ query: z.string(), limit: z.number().optional() }),
  handle: () => '',
})
const box = {
  known: new Map([Square, Search].map((tool) => [tool.request, tool])),
  handled: new Set(['square', 'search']),
}

describe('JSON in a text', () => {
  test.each([
    ['none here', []],
    ['{"a": 1}', ['{"a": 1}']],
    ['x {"a": "} {"} y {"b": {"c": 2}}', ['{"a": "} {"}', '{"b": {"c": 2}}']],
    ['a \\" is no string {"a": "\\""}', ['{"a": "\\""}']],
    ['never closed { and {"a": 1}', []],
    ['stray } first {"a": 1}', ['{"a": 1}']],
  ])('%j has the objects %j', (text, expected) => {
    expect(jsonSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected)
  })

  test.each([
    ['{"a": 1}', { a: 1 }],
    ["{'a': 1,}", { a: 1 }],
    ['{"a": "line\nbreak"}', { a: 'line\nbreak' }],
    ['{a: True}', { a: true }],
    ['[1]', undefined],
  ])('%j is read as %j', (text, expected) => {
    expect(parseJsonObject(text)).toEqual(expected)
  })
})

describe('a tool written as text', () => {
  test.each([
    ['TOOL: {"request": "square", "number": 4}', ['square {"number":4}']],
    ['```json\n{"request": "search", "query": "a } b"}\n```', ['search {"query":"a } b"}']],
    ['{"type": "object", "properties": {"request": "square", "number": 9}}', ['square {"number":9}']],
    // A forgotten request is inferred when the fields fit one handled tool only.
    ['{"number": 7}', ['square {"number":7}']],
    ['{"number": 7, "more": 1}', []],
    ['An answer has the form {"request": "explain", "about": "APIs"}.', []],
    [
      '{"request": "square", "number": 1} {"request": "square", "number": 2}',
      ['square {"number":1}', 'square {"number":2}'],
    ],
  ])('in %j is found as %j', (text, expected) => {
    let ids = 0
    const found = findTextTools(text, box, () => `id${++ids}`)
    expect(found.map(({ name, args }) => `${name} ${JSON.stringify(args)}`)).toEqual(expected)
  })

  test('with bad fields is found with words for the model', () => {
    const [use] = findTextTools('{"request": "square", "number": "four"}', box, () => 'id')
    expect(use?.error).toMatch(/named 'square':\nnumber: .*\nPlease write your message again/)
  })
})
