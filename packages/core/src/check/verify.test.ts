import { describe, expect, test } from 'vitest'
import type { Envelope } from '../envelope.ts'
import { createVerifier, verify } from './verify.ts'

type Said = { [T in Envelope['type']]: Extract<Envelope, { type: T }>['payload'] }

/** A stream by hand: `seq` counts by itself unless `more` says otherwise. */
function script() {
  const seqs = new Map<string, number>()
  return function say<T extends Envelope['type']>(
    call: string,
    type: T,
    payload: Said[T],
    more: Partial<Envelope> = {},
  ): Envelope {
    const seq = more.seq ?? (seqs.get(call) ?? 0) + 1
    seqs.set(call, seq)
    const parent_id =
      call === 'root' ? null : call.includes('/') ? call.slice(0, call.lastIndexOf('/')) : 'root'
    const head = {
      ts: 1,
      trace_id: 't',
      run_id: 'r',
      call_id: call,
      parent_id,
      seq,
      origin: 'live',
      agent: 'a',
    }
    return { type, ...head, payload, ...more } as Envelope
  }
}

const done = { messages: [], files: {}, usage: {} }
const graph = { tool_name: 'main', kind: 'graph', input: {} } as const
const tool = { tool_name: 'look', kind: 'tool', args: {} } as const
const model = { model: 'm', params: {} }
const ended = (result: Said['tool_end']['result'] = done): Said['tool_end'] => ({
  tool_name: 'x',
  result,
  status: 'ok',
})
const cancelled: Said['tool_end'] = { tool_name: 'x', result: null, status: 'cancelled' }
const answered: Said['llm_end'] = {
  usage: {},
  finish_reason: 'stop',
  message: { id: 'm', text: '', tool_calls: [] },
}
const failed = { name: 'x', message: 'no', stack: '', class: 'Error' }
const saved = { checkpoint_id: 'c', node: 'n', state_digest: 'd' }
const asks = { ...saved, interrupts: [{ id: 'i', value: 'sure?' }] }
const resumed = { checkpoint_id: 'c', node: 'n' }
type Say = ReturnType<typeof script>

describe('verify accepts', () => {
  test.each<[string, (say: Say) => Envelope[]]>([
    ['nothing at all', () => []],
    [
      'a run with a tool, a model call and joined tokens',
      (say) => [
        say('root', 'tool_start', graph),
        say('llm', 'llm_start', model),
        say('llm', 'llm_token', { text: 'abc', from_seq: 2 }, { seq: 4 }),
        say('llm', 'llm_end', answered),
        say('tool', 'tool_start', tool),
        say('tool', 'tool_end', ended('whatever')),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'a retry of a failed call, and a second start of an open one',
      (say) => [
        say('root', 'tool_start', graph),
        say('a', 'tool_start', tool),
        say('a', 'error', failed),
        say('a', 'tool_start', { ...tool, attempt: 2 }),
        say('root', 'tool_start', { ...graph, attempt: 2 }),
        say('a', 'tool_start', { ...tool, attempt: 3 }),
        say('a', 'tool_end', ended(1)),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'a warning after the end of a call',
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'tool_end', ended()),
        say('root', 'warning', { code: 'late', message: 'late' }),
      ],
    ],
    [
      'open calls around an interrupt that waits',
      (say) => [
        say('root', 'tool_start', graph),
        say('sub', 'tool_start', { ...graph, kind: 'subgraph' }),
        say('sub/tool', 'tool_start', tool),
        say('sub/tool', 'subgraph_checkpoint', asks),
      ],
    ],
    [
      'an interrupt that is answered, raised again under the same id, and abandoned',
      (say) => [
        say('root', 'tool_start', graph),
        say('tool', 'tool_start', tool),
        say('tool', 'subgraph_checkpoint', asks),
        say('root', 'subgraph_resume', resumed, { run_id: 'r2' }),
        say('tool', 'subgraph_checkpoint', asks, { run_id: 'r2' }),
        say('tool', 'tool_end', cancelled, { run_id: 'r2' }),
        say('root', 'tool_end', cancelled, { run_id: 'r2' }),
      ],
    ],
    [
      'two traces in one log',
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'tool_end', ended()),
        say('other', 'tool_start', graph, { trace_id: 'u', parent_id: null }),
        say('other', 'tool_end', ended(), { trace_id: 'u', parent_id: null }),
      ],
    ],
  ])('%s', (_, stream) => {
    expect(verify(stream(script()))).toEqual([])
  })
})

describe('verify reports', () => {
  test.each<[string, string, number, (say: Say) => Envelope[]]>([
    ['a call that never ends', 'no-end', 1, (say) => [say('root', 'tool_start', graph)]],
    [
      'an open call beside the one that waits',
      'no-end',
      3,
      (say) => [
        say('root', 'tool_start', graph),
        say('a', 'tool_start', tool),
        say('b', 'llm_start', model),
        say('a', 'subgraph_checkpoint', asks),
      ],
    ],
    [
      'open calls after the interrupt was answered',
      'no-end',
      1,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'subgraph_checkpoint', asks),
        say('root', 'subgraph_resume', resumed),
      ],
    ],
    ['a word before the start', 'not-open', 1, (say) => [say('root', 'tool_update', { tool_name: 'x' })]],
    [
      'a second end',
      'not-open',
      3,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'tool_end', ended()),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'a gap in seq',
      'seq',
      2,
      (say) => [say('root', 'tool_start', graph), say('root', 'tool_end', ended(), { seq: 3 })],
    ],
    [
      'a seq that goes back',
      'seq',
      2,
      (say) => [say('root', 'tool_start', graph), say('root', 'tool_end', ended(), { seq: 1 })],
    ],
    [
      'a from_seq that leaves a gap',
      'seq',
      2,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'tool_update', { tool_name: 'x', from_seq: 3 }, { seq: 4 }),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'a second start that does not say so',
      'attempt',
      2,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'tool_start', graph),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'an unknown parent',
      'parent',
      2,
      (say) => [
        say('root', 'tool_start', graph),
        say('a/b', 'tool_start', tool),
        say('a/b', 'tool_end', ended(1)),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'a child that starts after its parent has ended',
      'parent',
      3,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'tool_end', ended()),
        say('a', 'tool_start', tool),
        say('a', 'tool_end', ended(1)),
      ],
    ],
    [
      'a call that moves to another parent',
      'parent',
      3,
      (say) => [
        say('root', 'tool_start', graph),
        say('a', 'tool_start', tool),
        say('a', 'tool_end', ended(1), { parent_id: null }),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'a parent that ends before its child',
      'open-children',
      3,
      (say) => [
        say('root', 'tool_start', graph),
        say('a', 'tool_start', tool),
        say('root', 'tool_end', ended()),
        say('a', 'tool_end', ended(1)),
      ],
    ],
    [
      'a second root in a trace',
      'root',
      3,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'tool_end', ended()),
        say('b', 'tool_start', graph, { parent_id: null }),
        say('b', 'tool_end', ended(), { parent_id: null }),
      ],
    ],
    [
      'a graph that is not the root',
      'root',
      2,
      (say) => [
        say('root', 'tool_start', graph),
        say('a', 'tool_start', graph),
        say('a', 'tool_end', ended()),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'tokens of a tool',
      'mixed',
      2,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'llm_token', { text: 'x' }),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'an interrupt raised at every level',
      'interrupt',
      4,
      (say) => [
        say('root', 'tool_start', graph),
        say('a', 'tool_start', tool),
        say('a', 'subgraph_checkpoint', asks),
        say('root', 'subgraph_checkpoint', asks),
      ],
    ],
    [
      'an end that ignores its own interrupt',
      'interrupt',
      3,
      (say) => [
        say('root', 'tool_start', graph),
        say('root', 'subgraph_checkpoint', asks),
        say('root', 'tool_end', ended()),
      ],
    ],
    [
      'a graph whose result is not normalised',
      'payload',
      2,
      (say) => [say('root', 'tool_start', graph), say('root', 'tool_end', ended({ messages: [] }))],
    ],
    [
      'a start without arguments or input',
      'payload',
      1,
      (say) => [
        say('root', 'tool_start', { tool_name: 'main', kind: 'graph' }),
        say('root', 'tool_end', ended()),
      ],
    ],
  ])('%s', (_, rule, position, stream) => {
    const violations = verify(stream(script()))
    expect(violations.map((violation) => [violation.rule, violation.position])).toEqual([[rule, position]])
    expect(violations[0]!.message).toMatch(/^["A-Z].*\.$/)
  })
})

describe('createVerifier', () => {
  test('says what is wrong as soon as it is', () => {
    const say = script()
    const verifier = createVerifier()
    expect(verifier.push(say('root', 'tool_start', graph))).toEqual([])
    expect(verifier.push(say('root', 'tool_end', ended(), { seq: 5 }))).toHaveLength(1)
    expect(verifier.end()).toEqual([])
  })

  test('lets a live stream end with open calls', () => {
    expect(verify([script()('root', 'tool_start', graph)], { live: true })).toEqual([])
  })
})

describe('a hostile stream is checked to its end', () => {
  const start = (call_id: string, parent_id: string | null): Envelope =>
    script()(call_id, 'tool_start', parent_id === null ? graph : tool, { parent_id })
  const nested = Array.from({ length: 20_000 }, (_, i) => start(`c${i}`, i === 0 ? null : `c${i - 1}`))
  const innermost = { call_id: 'c19999', parent_id: 'c19998', seq: 2 }

  test('with more violations than a function takes arguments', () => {
    const open = Array.from({ length: 150_000 }, (_, i) => start(`c${i}`, i === 0 ? null : 'c0'))
    expect(verify(open)).toHaveLength(150_000)
  })

  test('with calls nested deeper than the stack, open, waiting and going on', () => {
    const ask = script()('x', 'subgraph_checkpoint', asks, innermost)
    const go = script()('c0', 'subgraph_resume', resumed, { parent_id: null, seq: 2 })
    expect(verify(nested)).toHaveLength(20_000)
    expect(verify([...nested, ask])).toEqual([])
    expect(verify([...nested, ask, go])).toHaveLength(20_000)
  })
})
