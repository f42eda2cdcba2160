import { expect, test } from 'vitest'
import { readApproval } from './approval.ts'

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
