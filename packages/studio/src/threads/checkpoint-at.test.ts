import type { Entry } from '@clewline/core'
import { createLedger } from '@clewline/core/source'
import { createTimeline } from '@clewline/core/view'
import { expect, it } from 'vitest'
import { checkpointAt } from './checkpoint-at.ts'

it('finds the newest state of the main graph, not of a sub-agent, up to a moment', () => {
  const ledger = createLedger({ trace_id: 't', run_id: 'r' })
  const saved = (checkpoint_id: string) => ({ checkpoint_id, node: 'n', state_digest: 'd' })
  const task = { tool_name: 'task', kind: 'subagent', args: {} } as const
  const entries: Entry[] = [
    ...ledger.stamp({
      type: 'tool_start',
      path: [],
      agent: 'a',
      payload: { tool_name: 'a', kind: 'graph', input: {} },
    }),
    ...ledger.stamp({ type: 'subgraph_checkpoint', path: [], agent: 'a', payload: saved('one') }),
    ...ledger.stamp({ type: 'tool_start', path: ['s'], agent: 's', payload: task }),
    ...ledger.stamp({ type: 'subgraph_checkpoint', path: ['s'], agent: 's', payload: saved('inside') }),
    ...ledger.stamp({ type: 'subgraph_checkpoint', path: [], agent: 'a', payload: saved('two') }),
  ].map((envelope, index) => ({ position: index + 1, envelope }))
  const timeline = createTimeline(entries)
  expect([0, 1, 2, 3, 4, 5].map((count) => checkpointAt(timeline, count))).toEqual([
    null,
    null,
    'one',
    'one',
    'one',
    'two',
  ])
})
