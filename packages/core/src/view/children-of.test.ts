import { expect, test } from 'vitest'
import { createLedger } from '../source/ledger.ts'
import type { Draft } from '../source/draft.ts'
import { callsBelow, childrenOf, isFolded } from './children-of.ts'
import { createFold } from './fold.ts'
import { lanes } from './lanes.ts'
import { transcript } from './transcript.ts'
import type { View } from './view.ts'

type Story = readonly (readonly [path: string, kind: 'node' | 'tool' | 'llm' | 'fails', name: string])[]

/** Starts all calls in order and ends them from the last to the first. */
function viewOf(story: Story): View {
  const ledger = createLedger({ trace_id: 't', run_id: 'r', now: () => 0 })
  const agent = 'a'
  const pathOf = (path: string): string[] => path.split('/')
  const starts = story.map(([at, kind, name]): Draft => {
    const about = { path: pathOf(at), agent }
    if (kind === 'llm') return { ...about, type: 'llm_start', payload: { model: name, params: {} } }
    const meta = kind === 'tool' ? { args: {}, meta: { tool_call_id: at } } : {}
    const payload = { tool_name: name, kind: kind === 'tool' ? 'tool' : 'node', ...meta } as const
    return { ...about, type: 'tool_start', payload }
  })
  const ends = story.toReversed().map(([at, kind, name]): Draft => {
    const about = { path: pathOf(at), agent }
    if (kind === 'llm') {
      const message = { id: at, text: 'hi', tool_calls: [] }
      return { ...about, type: 'llm_end', payload: { usage: {}, finish_reason: 'stop', message } }
    }
    if (kind === 'fails')
      return { ...about, type: 'error', payload: { name, message: 'no', stack: '', class: 'Error' } }
    return { ...about, type: 'tool_end', payload: { tool_name: name, result: null, status: 'ok' } }
  })
  const root: Draft = {
    type: 'tool_start',
    path: [],
    agent,
    payload: { tool_name: 'main', kind: 'graph', input: {} },
  }
  const fold = createFold()
  const envelopes = [root, ...starts, ...ends].flatMap((draft) => ledger.stamp(draft))
  for (const [i, envelope] of envelopes.entries()) fold.apply({ position: i + 1, envelope })
  return fold.snapshot()
}

function tree(view: View, id = view.roots[0]!, depth = 0): string[] {
  return childrenOf(view.calls, view.calls.get(id)!).flatMap((call) => [
    `${'  '.repeat(depth)}${call.name}`,
    ...tree(view, call.id, depth + 1),
  ])
}

test('an agent reads as its model and tool calls: nodes that only wrap them are folded', () => {
  const view = viewOf([
    ['n0', 'node', 'Todo.before_agent'],
    ['n1', 'node', 'model_request'],
    ['n1/llm', 'llm', 'gpt'],
    ['n2', 'node', 'tools'],
    ['n2/a', 'tool', 'search'],
    ['n2/b', 'tool', 'read'],
  ])
  expect(tree(view)).toEqual(['gpt', 'search', 'read'])
})

test('a node that works by itself, or calls several things by itself, is a row', () => {
  const view = viewOf([
    ['n1', 'node', 'load'],
    ['n2', 'node', 'compare'],
    ['n2/x', 'llm', 'gpt'],
    ['n2/y', 'llm', 'claude'],
  ])
  expect(tree(view)).toEqual(['load', 'compare', '  gpt', '  claude'])
  expect(lanes(view)[0]?.bars.map(({ name }) => name)).toEqual(['load', 'gpt', 'claude'])
})

test('a node that failed by itself is shown, whatever is inside it', () => {
  const view = viewOf([
    ['n1', 'fails', 'chat'],
    ['n1/llm', 'llm', 'gpt'],
  ])
  expect(tree(view)).toEqual(['chat', '  gpt'])
})

test('nothing is hidden from who unfolds: folded nodes are in the view, and say that they are folded', () => {
  const view = viewOf([
    ['n1', 'node', 'model_request'],
    ['n1/llm', 'llm', 'gpt'],
  ])
  const root = view.calls.get(view.roots[0]!)!
  const [node] = root.children.flatMap((id) => view.calls.get(id) ?? [])
  expect(node).toMatchObject({ kind: 'node', name: 'model_request', status: 'ok' })
  expect(isFolded(view.calls, node!)).toBe(true)
  expect(callsBelow(view.calls, root).map(({ name }) => name)).toEqual(['gpt'])
  expect(transcript(view).map(({ type }) => type)).toEqual(['assistant'])
})
