import { expect, it } from 'vitest'
import { summarise } from './summarise.ts'

it.each([
  [{ query: 'durable logs' }, 'durable logs'],
  [{ path: '/a', limit: 3 }, '/a · limit: 3'],
  [{ path: '/a', nested: { b: 1 } }, '/a · nested: …'],
  ['{"que', '{"que'],
  [null, ''],
  [{ limit: 3, path: '/a' }, 'limit: 3 · path: /a'],
  [['a', 'b'], '2 items: a, b'],
  [[], ''],
  [{ todos: [{ content: 'Plan', status: 'pending' }] }, 'Plan'],
  [{ todos: [{ content: 'Plan' }, { content: 'Write' }] }, '2 items: Plan, Write'],
])('summarises %j', (value, text) => {
  expect(summarise(value)).toBe(text)
})
