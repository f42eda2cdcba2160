import { expect, it } from 'vitest'
import { decisionsOf, draftFor } from './decide.ts'
import type { ReviewedAction } from './review.ts'

const action: ReviewedAction = {
  name: 'send',
  args: { to: 'a' },
  description: '',
  allowed: ['approve', 'edit', 'reject'],
}

it('makes one decision per action, in order', () => {
  const drafts = [
    { ...draftFor(action), decision: 'approve' },
    { ...draftFor(action), decision: 'edit', args: '{"to":"b"}' },
    { ...draftFor(action), decision: 'reject', message: ' no ' },
    { ...draftFor(action), decision: 'reject' },
  ] as const
  expect(decisionsOf([action, action, action, action], drafts)).toEqual({
    value: {
      decisions: [
        { type: 'approve' },
        { type: 'edit', editedAction: { name: 'send', args: { to: 'b' } } },
        { type: 'reject', message: 'no' },
        { type: 'reject' },
      ],
    },
  })
})

it('says what is missing or wrong instead of sending it', () => {
  expect(decisionsOf([action], [draftFor(action)])).toEqual({ problem: 'Decide about send.' })
  const broken = { ...draftFor(action), decision: 'edit', args: '{' } as const
  expect(decisionsOf([action], [broken])).toEqual({ problem: 'The arguments of send are not valid JSON.' })
})
