import type { Json } from '@clewline/core'
import { expect, test } from 'vitest'
import { questionOf } from './question.ts'

test.each<[Json, string]>([
  ['Really?', 'Really?'],
  [{ question: 'Open it?', url: 'x' }, 'Open it?'],
  [{ a: 1 }, '{"a":1}'],
  [null, 'null'],
  [
    { actionRequests: [{ name: 'publish', args: { path: 'a.md', title: 'A' }, description: 'Publish it?' }] },
    'Publish it?\n  publish path: a.md, title: A',
  ],
  [
    {
      actionRequests: [
        { name: 'rm', args: { path: 'a' } },
        { name: 'ls', args: {} },
      ],
    },
    'May it run rm a?\nMay it run ls?',
  ],
])('%j is asked as %j', (value, expected) => {
  expect(questionOf(value)).toBe(expected)
})
