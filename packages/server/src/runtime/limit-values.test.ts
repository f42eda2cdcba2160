import type { Draft } from '@clewline/core/source'
import { expect, test } from 'vitest'
import { limitValues } from './limit-values.ts'

const ended = (result: string): Draft => ({
  type: 'tool_end',
  path: ['look'],
  agent: 'a',
  payload: { tool_name: 'look', result: { pages: [result, 'short'] }, status: 'ok' },
})

test('a value above the limit is refused with a mark, and a warning says so', () => {
  const limit = limitValues(100)
  expect(limit(ended('ä'.repeat(51)))).toEqual([
    {
      ...ended(''),
      payload: {
        tool_name: 'look',
        result: { pages: ['[refused: 102 bytes, the limit is 100]', 'short'] },
        status: 'ok',
      },
    },
    {
      type: 'warning',
      path: ['look'],
      agent: 'a',
      payload: {
        code: 'too-large',
        message: '1 value was too large to be recorded.',
        limit_bytes: 100,
        refused: 1,
      },
    },
  ])
})

test('a value at the limit is kept whole, as the very same draft', () => {
  const draft = ended('ä'.repeat(50))
  expect(limitValues(100)(draft)[0]).toBe(draft)
})
