import type { Json } from '@clewline/core'
import { expect, test } from 'vitest'
import { subagentOf, subagentTools } from './subagent-tools.ts'

test('a task tool is a sub-agent, unless other tools are named', () => {
  expect(['task', 'search'].map(subagentTools({}))).toEqual([true, false])
  expect(['task', 'delegate'].map(subagentTools({ subagentTools: ['delegate'] }))).toEqual([false, true])
})

test.each<[string, Json, string]>([
  ['subagent_type', { subagent_type: 'poet', agent: 'other' }, 'poet'],
  ['subagent', { subagent: 'poet' }, 'poet'],
  ['agent', { agent: 'poet' }, 'poet'],
  ['nothing', { goal: 'x' }, 'task'],
  ['an empty name', { agent: '' }, 'task'],
  ['no object', 'poet', 'task'],
])('a call that names its agent by %s', (_name, args, agent) => {
  expect(subagentOf(args, 'task')).toBe(agent)
})
