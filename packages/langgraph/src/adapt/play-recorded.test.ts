import type { Draft } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { subagentTools } from '../subagent-tools.ts'
import { endPlay, isBusy } from './end-play.ts'
import { play } from './play-recorded.ts'
import { newPlay } from './play-state.ts'
import type { Recorded } from './recorded.ts'

/** Each draft in a line: its type, the place of its call, and how it ended. */
const line = (draft: Draft): string => {
  const place = `${draft.type} ${draft.path.join('/') || 'root'}`
  return draft.type === 'tool_end' ? `${place} ${draft.payload.status}` : place
}

async function played(events: readonly Recorded[], isComplete = true) {
  let state = newPlay({ label: 'main', isSubagent: subagentTools({}), isOpen: () => false })
  const lines: string[] = []
  for (const event of events) {
    const [next, drafts] = await play(state, event)
    state = next
    lines.push(...drafts.map(line))
  }
  const wasBusy = isBusy(state)
  const [outcome, drafts] = await endPlay(state, { isComplete })
  return { lines: [...lines, ...drafts.map(line)], status: outcome.status, wasBusy }
}

const chain = (id: string, is: 'graph' | 'node' | 'unknown', parentId?: string): Recorded => ({
  type: 'chain_start',
  id,
  parentId,
  name: id,
  is,
  metadata: {},
  input: null,
})
const tool = (id: string, parentId: string): Recorded => ({
  type: 'tool_start',
  id,
  parentId,
  name: 'search',
  input: {},
  toolCallId: id,
})
const root = chain('g', 'graph')
const node = chain('n', 'node', 'g')
const asks: Recorded = { type: 'interrupt', id: 't', interrupts: [{ id: 'i', value: 'ok?' }] }
const warning: Recorded = { type: 'warning', code: 'odd', message: 'Odd.' }

const start = 'tool_start root'
const done = 'tool_end root ok'

describe('a recorded stream, event by event', () => {
  test.each<[string, readonly Recorded[], readonly string[], string]>([
    ['starts the run at whatever comes first', [warning], [start, 'warning root', done], 'success'],
    ['warns once of each kind', [root, warning, warning], [start, 'warning root', done], 'success'],
    [
      'ignores a start that is written twice',
      [root, root, node, node],
      [start, 'tool_start n', done],
      'success',
    ],
    [
      'takes a chain for a graph once a node starts in it',
      [root, node, chain('x', 'unknown', 'n'), chain('m', 'node', 'x')],
      [start, 'tool_start n', 'tool_start n/graph:0', 'tool_start n/graph:0/m', done],
      'success',
    ],
    [
      'takes it for none when another chain does',
      [root, node, chain('x', 'unknown', 'n'), chain('y', 'unknown', 'x')],
      [start, 'tool_start n', done],
      'success',
    ],
    [
      'pauses at the call that asked, once, however often the stream repeats it',
      [root, node, tool('t', 'n'), asks, asks],
      [start, 'tool_start n', 'tool_start n/t', 'subgraph_checkpoint n/t'],
      'interrupted',
    ],
    [
      'pauses before it is resumed',
      [root, node, tool('t', 'n'), asks, { type: 'resume' }],
      [start, 'tool_start n', 'tool_start n/t', 'subgraph_checkpoint n/t', 'subgraph_resume root', done],
      'success',
    ],
    [
      'cancels what was cut off before it is resumed',
      [root, node, tool('t', 'n'), { type: 'resume' }],
      [
        start,
        'tool_start n',
        'tool_start n/t',
        'tool_end n/t cancelled',
        'tool_end n cancelled',
        'subgraph_resume root',
        done,
      ],
      'success',
    ],
    ['fails as a whole', [root, { type: 'failure', error: new Error('no') }], [start, 'error root'], 'error'],
    [
      'fails with its root',
      [root, { type: 'chain_error', id: 'g', error: new Error('no') }],
      [start, 'error root'],
      'error',
    ],
  ])('%s', async (_name, events, lines, status) => {
    expect(await played(events)).toMatchObject({ lines, status })
  })

  test.each<[string, readonly Recorded[], string]>([
    ['has ended when its root has', [root, { type: 'chain_end', id: 'g', output: {} }], 'success'],
    ['was cut off when its root has not', [root, node], 'error'],
    ['of which nothing came was cut off', [], 'error'],
  ])('that may be incomplete %s', async (_name, events, status) => {
    expect((await played(events, false)).status).toBe(status)
  })

  test('is busy while a call is open in it', async () => {
    expect((await played([root, node])).wasBusy).toBe(false)
    expect((await played([root, node, tool('t', 'n')])).wasBusy).toBe(true)
  })
})
