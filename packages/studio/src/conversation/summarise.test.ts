import { expect, it } from 'vitest'
import { summarise } from './summarise.ts'

it.each([
  [{ query: 'durable logs' }, 'durable logs'],
  [{ path: '/a', limit: 3 }, 'path: /a · limit: 3'],
  [{ path: '/a', nested: { b: 1 } }, 'path: /a · nested: …'],
  ['{"que', '{"que'],
  [null, ''],
  [['a', 'b'], '2 × a'],
  [{ todos: [{ content: 'Plan', status: 'pending' }] }, '1 × Plan'],
])('summarises %j', (value, text) => {
  expect(summarise(value)).toBe(text)
})
