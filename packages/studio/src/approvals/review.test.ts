import { describe, expect, it } from 'vitest'
import { questionOf } from './review.ts'

describe('questionOf', () => {
  it('reads what the human-in-the-loop middleware asks, with what is allowed for each action', () => {
    const question = questionOf({
      actionRequests: [
        { name: 'write_file', args: { path: 'a' }, description: 'Writes' },
        { name: 'send', args: {} },
      ],
      reviewConfigs: [{ actionName: 'write_file', allowedDecisions: ['approve', 'reject'] }],
    })
    expect(question).toEqual({
      asks: 'review',
      actions: [
        { name: 'write_file', args: { path: 'a' }, description: 'Writes', allowed: ['approve', 'reject'] },
        { name: 'send', args: {}, description: '', allowed: ['approve', 'edit', 'reject'] },
      ],
    })
  })

  it.each([
    ['Which city?', { asks: 'text', text: 'Which city?', detail: null }],
    [
      { question: 'Which?', options: ['a', 'b'] },
      { asks: 'choice', text: 'Which?', options: ['a', 'b'] },
    ],
    [
      { question: 'Which?', draft: 'x' },
      { asks: 'text', text: 'Which?', detail: { draft: 'x' } },
    ],
    [42, { asks: 'text', text: 'The agent waits for an answer.', detail: 42 }],
    [null, { asks: 'text', text: 'The agent waits for an answer.', detail: null }],
  ])('reads %j', (value, question) => {
    expect(questionOf(value)).toEqual(question)
  })
})
