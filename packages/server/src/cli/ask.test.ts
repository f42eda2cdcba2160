import { expect, test } from 'vitest'
import { answerOf } from './ask.ts'

test.each([
  ['yes', 0, 'yes'],
  [' {"a": 1} ', 0, { a: 1 }],
  ['42', 0, 42],
  ['a', 0, 'a'],
  ['a', 2, { decisions: [{ type: 'approve' }, { type: 'approve' }] }],
  ['reject', 1, { decisions: [{ type: 'reject' }] }],
])('the answer %j to %i tool calls is %j', (line, requests, expected) => {
  expect(answerOf(line, requests)).toEqual(expected)
})
