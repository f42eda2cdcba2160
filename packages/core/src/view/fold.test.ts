import { describe, expect, test } from 'vitest'
import type { Entry } from '../event-log.ts'
import type { Draft } from '../source/draft.ts'
import { createLedger } from '../source/ledger.ts'
import { createFold } from './fold.ts'
import { lanes } from './lanes.ts'
import { transcript } from './transcript.ts'
import type { View } from './view.ts'

type Said = Pick<Draft, 'type' | 'path' | 'payload'> & { agent?: string }

/** Envelopes of one trace, as a runtime would log them, a second apart. */
function log(drafts: readonly Said[], run_id = 'run-1', before: readonly Entry[] = []): Entry[] {
  let seconds = before.length
  const history = before.map((entry) => entry.envelope)
  const ledger = createLedger({ trace_id: 'trace', run_id, now: () => seconds * 1000, history })
  const entries = [...before]
  for (const draft of drafts) {
    seconds += 1
    for (const envelope of ledger.stamp({ agent: 'main', ...draft } as Draft)) {
      entries.push({ position: entries.length + 1, envelope })
    }
  }
  return entries
}

function viewOf(entries: readonly Entry[]): View {
  const fold = createFold()
  for (const entry of entries) fold.apply(entry)
  return fold.snapshot()
}

const graph = (input: object = { messages: [{ role: 'user', content: 'hi', id: 'u1' }] }): Said =>
  ({ type: 'tool_start', path: [], payload: { tool_name: 'main', kind: 'graph', input } }) as Said
const llm = (...path: string[]): Said => ({ type: 'llm_start', path, payload: { model: 'm', params: {} } })
const say = (text: string, ...path: string[]): Said => ({ type: 'llm_token', path, payload: { text } })
const said = (text: string, usage: object, ...path: string[]): Said =>
  ({
    type: 'llm_end',
    path,
    payload: { usage, finish_reason: 'stop', message: { id: 'a1', text, tool_calls: [] } },
  }) as Said
const tool = (kind: 'tool' | 'subagent', name: string, ...path: string[]): Said => ({
  type: 'tool_start',
  path,
  payload: { tool_name: name, kind, args: {}, meta: { tool_call_id: path.at(-1) ?? '' } },
})
const done = (result: string, ...path: string[]): Said => ({
  type: 'tool_end',
  path,
  payload: { tool_name: 'x', result, status: 'ok' },
})

describe('calls', () => {
  test('form a tree with status, timing and text', () => {
    const view = viewOf(log([graph(), llm('l0'), say('Hel', 'l0'), say('lo', 'l0')]))
    const [root] = view.roots.map((id) => view.calls.get(id))
    const [child] = root!.children.map((id) => view.calls.get(id))
    expect(root).toMatchObject({ kind: 'graph', status: 'running', started_at: 1, ended_at: null })
    expect(child).toMatchObject({ kind: 'llm', text: 'Hello', status: 'running', first_token_at: 3 })
  })

  test('keep what was streamed when they are cancelled', () => {
    const ended: Said = {
      type: 'llm_end',
      path: ['l0'],
      payload: { usage: {}, finish_reason: 'cancelled', message: { id: 'x', text: '', tool_calls: [] } },
    }
    const view = viewOf(log([graph(), llm('l0'), say('Hel', 'l0'), ended]))
    expect([...view.calls.values()].at(1)).toMatchObject({ text: 'Hel', status: 'cancelled' })
  })

  test('are cleared by their next attempt, which keeps their children', () => {
    const failed: Said = {
      type: 'error',
      path: ['t'],
      payload: { name: 't', message: 'no', stack: '', class: 'Error' },
    }
    const view = viewOf(
      log([graph(), tool('subagent', 'task', 't'), llm('t', 'l'), failed, tool('subagent', 'task', 't')]),
    )
    const again = [...view.calls.values()].find((call) => call.name === 'task')
    expect(again).toMatchObject({ attempt: 2, status: 'running', error: undefined, result: undefined })
    expect(again?.children).toHaveLength(1)
  })

  test('add up usage per call, agent, run and thread', () => {
    const usage = { input_tokens: 10, output_tokens: 5 }
    const inside = { ...said('x', usage, 't', 'l'), agent: 'helper' }
    const view = viewOf(
      log([
        graph(),
        llm('l0'),
        said('a', usage, 'l0'),
        tool('subagent', 'task', 't'),
        llm('t', 'l'),
        inside,
        done('ok', 't'),
      ]),
    )
    expect(view.usage).toEqual({ input_tokens: 20, output_tokens: 10 })
    expect(view.calls.get(view.roots[0]!)?.total).toEqual({ input_tokens: 20, output_tokens: 10 })
    expect([...view.calls.values()].find((call) => call.kind === 'subagent')?.total).toEqual(usage)
    expect(view.usageByAgent.get('helper')).toEqual(usage)
    expect(view.runs.get('run-1')?.usage).toEqual({ input_tokens: 20, output_tokens: 10 })
  })

  test('gather the pieces of parallel tool calls by index', () => {
    const args = (text: string, index: number, id = '', name = ''): Said => ({
      type: 'llm_token',
      path: ['l0'],
      payload: { text, channel: 'tool_args', tool_call: { id, name, index } },
    })
    const view = viewOf(
      log([
        graph(),
        llm('l0'),
        args('{"a', 0, 'c0', 'f'),
        args('{"b', 1, 'c1', 'g'),
        args('":1}', 0),
        args('":2}', 1),
      ]),
    )
    expect([...view.calls.values()].at(1)?.tool_calls).toEqual([
      { id: 'c0', name: 'f', index: 0, args: '{"a":1}' },
      { id: 'c1', name: 'g', index: 1, args: '{"b":2}' },
    ])
  })
})

describe('files', () => {
  const change = (files: object, ...path: string[]): Said => ({
    type: 'tool_update',
    path,
    payload: { tool_name: 'w', delta: { files } },
  })

  test('remember which call changed what, and start from those in the input', () => {
    const view = viewOf(
      log([
        graph({ messages: [], files: { 'a.md': 'one' } }),
        tool('tool', 'w', 't1'),
        change({ added: { 'b.md': 'new' }, changed: { 'a.md': 'two' } }, 't1'),
        tool('tool', 'w', 't2'),
        change({ removed: ['b.md'] }, 't2'),
      ]),
    )
    const names = new Map([...view.calls.values()].map((call) => [call.id, call.tool_call_id ?? 'root']))
    const history = [...view.files.values()].map((file) => [
      file.name,
      ...file.history.map((made) => `${made.kind} by ${names.get(made.call_id)}`),
    ])
    expect(history).toEqual([
      ['a.md', 'added by root', 'changed by t1'],
      ['b.md', 'added by t1', 'removed by t2'],
    ])
    expect(view.files.get('a.md')?.content).toBe('two')
    expect(view.files.get('b.md')?.content).toBeNull()
  })

  test('in the final result are no change when they are the same', () => {
    const end: Said = {
      type: 'tool_end',
      path: [],
      payload: {
        tool_name: 'main',
        result: { messages: [], files: { 'a.md': 'one' }, usage: {} },
        status: 'ok',
      },
    }
    const view = viewOf(log([graph({ files: { 'a.md': 'one' } }), end]))
    expect(view.files.get('a.md')?.history).toHaveLength(1)
  })
})

describe('interrupts', () => {
  const ask: Said = {
    type: 'subgraph_checkpoint',
    path: ['t'],
    payload: {
      checkpoint_id: 'c1',
      node: 'tools',
      state_digest: 'd',
      interrupts: [{ id: 'i1', value: 'sure?' }],
    },
  }
  const paused = log([graph(), tool('subagent', 'task', 't'), ask])

  test('make the calls around them wait, and end the run as interrupted', () => {
    const view = viewOf(paused)
    expect(view.interrupts).toMatchObject([{ id: 'i1', value: 'sure?', run_id: 'run-1' }])
    expect([...view.calls.values()].map((call) => call.status)).toEqual(['waiting', 'waiting'])
    expect(view.runs.get('run-1')?.status).toBe('interrupted')
  })

  test('are gone once the run goes on, which is another run of the same calls', () => {
    const resumed: Said = { type: 'subgraph_resume', path: [], payload: { checkpoint_id: 'c1', node: '' } }
    const inner: Said = {
      type: 'subgraph_resume',
      path: ['t'],
      payload: { checkpoint_id: 'c1', node: 'tools' },
    }
    const view = viewOf(log([resumed, inner, done('ok', 't'), done('ok')], 'run-2', paused))
    expect(view.interrupts).toEqual([])
    expect([...view.calls.values()].map((call) => call.status)).toEqual(['ok', 'ok'])
    expect([...view.runs.values()].map((run) => [run.run_id, run.status])).toEqual([
      ['run-1', 'interrupted'],
      ['run-2', 'success'],
    ])
    expect(view.roots).toHaveLength(1)
  })
})

test('an envelope that comes again changes nothing', () => {
  const entries = log([graph(), llm('l0'), say('a', 'l0'), say('b', 'l0'), say('c', 'l0')])
  const view = viewOf([...entries, entries[3]!])
  expect([...view.calls.values()].at(1)?.text).toBe('abc')
})

describe('transcript and lanes', () => {
  const entries = log([
    graph(),
    llm('l0'),
    {
      type: 'llm_end',
      path: ['l0'],
      payload: {
        usage: {},
        finish_reason: 'tool_calls',
        message: {
          id: 'a',
          text: 'on it',
          tool_calls: [
            { id: 't1', name: 'task', args: {} },
            { id: 't2', name: 'late', args: {} },
          ],
        },
      },
    },
    tool('subagent', 'task', 't1'),
    { ...llm('t1', 'l'), agent: 'helper' },
    { ...said('inside', {}, 't1', 'l'), agent: 'helper' },
  ])

  test('the main conversation keeps sub-agents to one item each', () => {
    const items = transcript(viewOf(entries)).map((item) => {
      if (item.type === 'user') return `user ${item.message.text}`
      if (item.type === 'assistant') return `assistant ${item.call.text}`
      if (item.type === 'tool') return `tool ${item.asked?.name} ${item.call?.status ?? 'asked'}`
      return item.type
    })
    expect(items).toEqual(['user hi', 'assistant on it', 'tool late asked', 'tool task running'])
  })

  test('a sub-agent has a transcript of its own', () => {
    const view = viewOf(entries)
    const task = [...view.calls.values()].find((call) => call.kind === 'subagent')
    expect(transcript(view, task?.id)).toMatchObject([{ type: 'assistant', call: { text: 'inside' } }])
  })

  test('each agent has a lane with its own model and tool calls', () => {
    expect(lanes(viewOf(entries)).map((lane) => [lane.name, lane.depth, lane.bars.length])).toEqual([
      ['main', 0, 1],
      ['task', 1, 1],
    ])
  })
})

describe('a hostile or partial log', () => {
  const start = (call_id: string, parent_id: string | null, run_id = 'run-1'): Entry['envelope'] => ({
    type: 'tool_start',
    ts: 1,
    trace_id: 't',
    run_id,
    call_id,
    parent_id,
    seq: 1,
    origin: 'live',
    agent: 'a',
    payload: { tool_name: call_id, kind: 'tool', args: {} },
  })
  const entriesOf = (envelopes: readonly Entry['envelope'][]): Entry[] =>
    envelopes.map((envelope, index) => ({ position: index + 1, envelope }))

  test('calls that claim to be inside each other stand as roots', () => {
    const ask = { id: 'i', value: 1 }
    const view = viewOf(
      entriesOf([
        start('a', 'b'),
        start('b', 'a'),
        start('self', 'self'),
        {
          ...start('b', 'a'),
          type: 'subgraph_checkpoint',
          seq: 2,
          payload: { checkpoint_id: '', node: '', state_digest: '', interrupts: [ask] },
        },
      ]),
    )
    expect(view.roots).toEqual(['a', 'self'])
    expect(['a', 'b', 'self'].map((id) => view.calls.get(id)?.parent_id)).toEqual([null, 'a', null])
    expect(transcript(view, 'a').map(({ type }) => type)).toEqual(['tool', 'interrupt'])
  })

  test('the end of a call whose parent is unknown does not end the run', () => {
    const end = { tool_name: 'a', result: 1, status: 'ok' } as const
    const view = viewOf(
      entriesOf([start('a', 'b'), { ...start('a', 'b'), type: 'tool_end', seq: 2, payload: end }]),
    )
    expect(view.runs.get('run-1')?.status).toBe('running')
  })

  test('nesting deeper than the stack finds its root', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => start(`c${i}`, i === 0 ? null : `c${i - 1}`))
    const view = viewOf(entriesOf([...chain, start('late', 'c19999', 'run-2')]))
    expect(view.runs.get('run-2')?.root).toBe('c0')
  })
})

describe('snapshots', () => {
  test('stay as they were while the lists behind them grow', () => {
    const fold = createFold()
    const entries = log([graph(), llm('l0'), llm('l1'), llm('l2')])
    const children = entries.map((entry) => {
      fold.apply(entry)
      const view = fold.snapshot()
      return view.calls.get(view.roots[0] ?? '')?.children
    })
    expect(children.map((ids) => ids?.length)).toEqual([0, 1, 2, 3])
  })

  test('are not needed to look at one call', () => {
    const fold = createFold()
    for (const entry of log([graph(), llm('l0'), say('Hel', 'l0'), say('lo', 'l0')])) fold.apply(entry)
    const id = [...fold.snapshot().calls.keys()].at(-1) ?? ''
    expect(fold.call(id)?.text).toBe('Hello')
    expect(fold.call('nobody')).toBeUndefined()
  })
})
