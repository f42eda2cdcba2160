import { createTimeline } from '@clewline/core/view'
import { describe, expect, it } from 'vitest'
import { recording } from '../testing/recording.ts'
import { treeRows, type TreeOptions } from './tree-rows.ts'

const view = createTimeline(recording({ agents: 2, tokens: 5, ending: 'fail' })).latest()
const open: TreeOptions = { closed: new Set(), filter: 'all', find: '' }
const shape = (options: TreeOptions): string[] =>
  treeRows(view, options).map(({ call, depth }) => `${'  '.repeat(depth)}${call.kind} ${call.name}`)

describe('treeRows', () => {
  it('shows every call under its parent', () => {
    expect(treeRows(view, open)).toHaveLength(view.calls.size)
    expect(shape(open).slice(0, 5)).toEqual([
      'graph research',
      '  llm scripted-1',
      '  subagent task',
      '    llm scripted-1',
      '    tool search',
    ])
  })

  it('hides what is below a closed call', () => {
    const [root = ''] = view.roots
    expect(shape({ ...open, closed: new Set([root]) })).toEqual(['graph research'])
  })

  it('keeps the ancestors of what is found', () => {
    expect(shape({ ...open, find: 'resumable' })).toContain('  subagent task')
    expect(shape({ ...open, find: 'resumable' })[0]).toBe('graph research')
    expect(shape({ ...open, find: 'no such thing' })).toEqual([])
  })

  it.each([
    ['tools', 'tool'],
    ['models', 'llm'],
  ] as const)('narrows to %s', (filter, kind) => {
    const leaves = treeRows(view, { ...open, filter }).filter(({ hasChildren }) => !hasChildren)
    expect(leaves.length).toBeGreaterThan(0)
    expect(leaves.every(({ call }) => call.kind === kind)).toBe(true)
  })

  it('narrows to what failed', () => {
    const failed = treeRows(view, { ...open, filter: 'errors' }).filter(({ call }) => call.status === 'error')
    expect(failed).toHaveLength(1)
  })
})
