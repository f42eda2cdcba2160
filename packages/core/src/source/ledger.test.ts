import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callId } from './call-id.ts'
import type { CallPath, Draft } from './draft.ts'
import { createLedger } from './ledger.ts'
import type { Envelope } from '../envelope.ts'
import { parseEnvelope } from '../read/parse-envelope.ts'
import { ClewlineError } from '../clewline-error.ts'
import { verify } from '../check/verify.ts'

const agent = 'a'
const done = { messages: [], files: {}, usage: {} }
const saved = { checkpoint_id: 'c', node: 'n', state_digest: 'd' }

const root: Draft = {
  type: 'tool_start',
  path: [],
  agent,
  payload: { tool_name: 'main', kind: 'graph', input: {} },
}
const rootEnd: Draft = {
  type: 'tool_end',
  path: [],
  agent,
  payload: { tool_name: 'main', result: done, status: 'ok' },
}
const tool = (...path: string[]): Draft => ({
  type: 'tool_start',
  path,
  agent,
  payload: { tool_name: path.join('/'), kind: 'tool', args: {} },
})
const toolEnd = (...path: string[]): Draft => ({
  type: 'tool_end',
  path,
  agent,
  payload: { tool_name: path.join('/'), result: 1, status: 'ok' },
})
const llm = (...path: string[]): Draft => ({
  type: 'llm_start',
  path,
  agent,
  payload: { model: 'm', params: {} },
})
const token = (...path: string[]): Draft => ({ type: 'llm_token', path, agent, payload: { text: 'x' } })
const failure = (...path: string[]): Draft => ({
  type: 'error',
  path,
  agent,
  payload: { name: 'x', message: 'no', stack: '', class: 'Error' },
})
const ask = (id: string, ...path: string[]): Draft => ({
  type: 'subgraph_checkpoint',
  path,
  agent,
  payload: { ...saved, interrupts: [{ id, value: 'sure?' }] },
})
const resume = (...path: string[]): Draft => ({
  type: 'subgraph_resume',
  path,
  agent,
  payload: { checkpoint_id: 'c', node: 'n' },
})
const warn = (...path: string[]): Draft => ({
  type: 'warning',
  path,
  agent,
  payload: { code: 'w', message: 'w' },
})

function ledgerAfter(history: readonly Envelope[] = [], run_id = 'r1') {
  return createLedger({ trace_id: 't', run_id, history, now: () => 1500 })
}

const named = new Map(
  [[], ['a'], ['b'], ['a', 'b'], ['a', 'llm'], ['llm']].map((path) => [callId('t', path), path.join('/')]),
)

/** `path type seq`, and what else matters to a rule. */
function brief(envelope: Envelope): string {
  return [`/${named.get(envelope.call_id)}`, envelope.type, envelope.seq, ...detail(envelope)].join(' ')
}

function detail({ type, payload }: Envelope): readonly string[] {
  if (type === 'tool_end') return [payload.status]
  if (type === 'subgraph_checkpoint' && payload.interrupts !== undefined) return ['asks']
  return type === 'tool_start' && payload.attempt !== undefined ? [`attempt ${payload.attempt}`] : []
}

describe('a ledger', () => {
  test.each<[string, Draft[], string[]]>([
    [
      'counts seq per call',
      [root, llm('llm'), token('llm'), token('llm')],
      ['/ tool_start 1', '/llm llm_start 1', '/llm llm_token 2', '/llm llm_token 3'],
    ],
    [
      'counts attempts, after an end and on an open call',
      [root, tool('a'), failure('a'), tool('a'), tool('a')],
      [
        '/ tool_start 1',
        '/a tool_start 1',
        '/a error 2',
        '/a tool_start 3 attempt 2',
        '/a tool_start 4 attempt 3',
      ],
    ],
    [
      'ends the calls inside a call that ends, the deepest and newest first',
      [root, tool('a'), llm('a', 'llm'), tool('a', 'b'), toolEnd('a')],
      [
        '/ tool_start 1',
        '/a tool_start 1',
        '/a/llm llm_start 1',
        '/a/b tool_start 1',
        '/a/b tool_end 2 cancelled',
        '/a/llm llm_end 2',
        '/a tool_end 2 ok',
      ],
    ],
    [
      'drops what is said after the end, and what starts inside a call that is over',
      [root, tool('a'), toolEnd('a'), toolEnd('a'), llm('a', 'llm'), token('a', 'llm')],
      ['/ tool_start 1', '/a tool_start 1', '/a tool_end 2 ok'],
    ],
    [
      'drops what starts after the run is over',
      [root, rootEnd, tool('a'), token('llm')],
      ['/ tool_start 1', '/ tool_end 2 ok'],
    ],
    [
      'lets a source skip a level',
      [root, tool('a', 'b'), toolEnd('a', 'b')],
      ['/ tool_start 1', '/a/b tool_start 1', '/a/b tool_end 2 ok'],
    ],
    [
      'hands a warning of an unknown call to the call around it, also after its end',
      [root, warn('a', 'b'), rootEnd, warn('a')],
      ['/ tool_start 1', '/ warning 2', '/ tool_end 3 ok', '/ warning 4'],
    ],
    [
      'raises an interrupt once, at the call that asked',
      [root, tool('a'), ask('i', 'a'), ask('i')],
      ['/ tool_start 1', '/a tool_start 1', '/a subgraph_checkpoint 2 asks', '/ subgraph_checkpoint 2'],
    ],
    [
      'raises it again after it was answered',
      [root, tool('a'), ask('i', 'a'), resume(), ask('i', 'a')],
      [
        '/ tool_start 1',
        '/a tool_start 1',
        '/a subgraph_checkpoint 2 asks',
        '/ subgraph_resume 2',
        '/a subgraph_checkpoint 3 asks',
      ],
    ],
    [
      'says that a call goes on when it ends well without having said so',
      [root, tool('a'), ask('i', 'a'), toolEnd('a')],
      [
        '/ tool_start 1',
        '/a tool_start 1',
        '/a subgraph_checkpoint 2 asks',
        '/a subgraph_resume 3',
        '/a tool_end 4 ok',
      ],
    ],
  ])('%s', (_, drafts, expected) => {
    const ledger = ledgerAfter()
    const stream = drafts.flatMap((draft) => ledger.stamp(draft))
    expect(stream.map(brief)).toEqual(expected)
    expect(verify(stream, { live: true })).toEqual([])
  })

  test('goes on from a log: seq, attempts, open calls and what waits', () => {
    const first = ledgerAfter()
    const history = [root, tool('a'), ask('i', 'a')].flatMap((draft) => first.stamp(draft))
    const second = ledgerAfter(history, 'r2')
    expect(second.isOpen([])).toBe(true)
    expect(second.isOpen(['a'])).toBe(true)
    expect(second.isOpen(['b'])).toBe(false)
    const stream = [ask('i', 'a'), tool('a'), toolEnd('a'), rootEnd].flatMap((draft) => second.stamp(draft))
    expect(stream.map(brief)).toEqual([
      '/a subgraph_resume 3',
      '/a subgraph_checkpoint 4 asks',
      '/a tool_start 5 attempt 2',
      '/a tool_end 6 ok',
      '/ tool_end 2 ok',
    ])
    expect(verify([...history, ...stream])).toEqual([])
  })

  test('leaves out the history of other traces', () => {
    const other = createLedger({ trace_id: 'u', run_id: 'r' }).stamp(root)
    expect(ledgerAfter(other).open()).toEqual([])
  })

  test('closes what is open as cancelled, or as failed', () => {
    for (const ending of [
      { status: 'cancelled' },
      { status: 'error', name: 'WorkerLost', message: 'The worker died.' },
    ] as const) {
      const ledger = ledgerAfter()
      const stream = [root, tool('a'), llm('a', 'llm')].flatMap((draft) => ledger.stamp(draft))
      expect(ledger.open()).toHaveLength(3)
      stream.push(...ledger.close(ending))
      expect(stream.slice(3).map((envelope) => named.get(envelope.call_id))).toEqual(['a/llm', 'a', ''])
      expect(verify(stream)).toEqual([])
      expect(ledger.close(ending)).toEqual([])
    }
  })

  test('has one clock, one key order, and fields as drafted', () => {
    const [envelope] = ledgerAfter().stamp({ ...root, origin: 'replay', ts: 7 })
    expect(JSON.stringify(envelope)).toBe(
      `{"type":"tool_start","ts":7,"trace_id":"t","run_id":"r1","call_id":"${callId('t', [])}","parent_id":null,"seq":1,"origin":"replay","agent":"a","payload":{"tool_name":"main","kind":"graph","input":{},"protocol":2}}`,
    )
    expect(ledgerAfter().stamp(root)[0]).toMatchObject({ ts: 1.5, origin: 'live' })
  })

  test.each<[string, Draft[]]>([
    ['a draft before the root', [tool('a')]],
    ['a warning before the root', [warn('a')]],
    ['a model call as root', [llm()]],
    ['a graph that is not the root', [root, { ...root, path: ['a'] }]],
    ['tokens of a tool', [root, token()]],
    ['a model call where a tool was', [root, tool('a'), llm('a')]],
  ])('refuses %s', (_, drafts) => {
    const ledger = ledgerAfter()
    expect(() => drafts.forEach((draft) => ledger.stamp(draft))).toThrow(ClewlineError)
  })
})

const path: fc.Arbitrary<CallPath> = fc.array(fc.constantFrom('a', 'b', 'llm'), { maxLength: 3 })
const interrupt = fc.record({ id: fc.constantFrom('i', 'j'), value: fc.constant(null) })

/** Any draft whose payload is of its type, sensible or not where it stands. */
const anyDraft: fc.Arbitrary<Draft> = fc.oneof(
  fc
    .record({ path, kind: fc.constantFrom('graph', 'subgraph', 'subagent', 'tool') })
    .map(({ path, kind }): Draft => ({
      type: 'tool_start',
      path,
      agent,
      payload: { tool_name: 'x', kind: path.length === 0 ? 'graph' : kind, attempt: 7 },
    })),
  path.map((path) => llm(...path, 'llm')),
  path.map((path) => ({ ...token(...path, 'llm'), payload: { text: 'x', from_seq: 9 } }) as Draft),
  path.map((path): Draft => ({
    type: 'tool_update',
    path,
    agent,
    payload: { tool_name: 'x', text: 'x', from_seq: 1 },
  })),
  fc.tuple(path, fc.constantFrom('ok', 'cancelled', 'pending_frontend')).map(([path, status]): Draft => ({
    type: 'tool_end',
    path,
    agent,
    payload: { tool_name: 'x', result: 'raw', status },
  })),
  path.map((path): Draft => ({
    type: 'llm_end',
    path: [...path, 'llm'],
    agent,
    payload: { usage: {}, finish_reason: 'stop', message: { id: 'm', text: '', tool_calls: [] } },
  })),
  path.map((path) => failure(...path)),
  path.map((path) => warn(...path)),
  path.map((path) => resume(...path)),
  fc
    .tuple(path, fc.option(fc.uniqueArray(interrupt, { selector: ({ id }) => id }), { nil: undefined }))
    .map(([path, interrupts]): Draft => ({
      type: 'subgraph_checkpoint',
      path,
      agent,
      payload: interrupts === undefined ? saved : { ...saved, interrupts },
    })),
)

describe('whatever a source drafts', () => {
  test('the stream keeps every rule, across runs too', () => {
    fc.assert(
      fc.property(fc.array(fc.array(anyDraft, { maxLength: 40 }), { minLength: 1, maxLength: 4 }), (runs) => {
        const log: Envelope[] = []
        runs.forEach((drafts, run) => {
          const ledger = ledgerAfter(log, `r${run}`)
          for (const draft of [root, ...drafts]) {
            try {
              log.push(...ledger.stamp(draft))
            } catch (error) {
              expect(error).toBeInstanceOf(ClewlineError)
            }
          }
        })
        expect(verify(log, { live: true })).toEqual([])
        log.push(...ledgerAfter(log).close({ status: 'cancelled' }))
        expect(verify(log)).toEqual([])
        for (const envelope of log) expect(parseEnvelope(envelope)).toEqual({ envelope })
      }),
      { numRuns: 1000 },
    )
  })
})

describe('whatever is done to a stream', () => {
  const streams = fc.array(anyDraft, { minLength: 5, maxLength: 40 }).map((drafts) => {
    const ledger = ledgerAfter()
    const stream = [root, ...drafts].flatMap((draft) => {
      try {
        return ledger.stamp(draft)
      } catch {
        return []
      }
    })
    return [...stream, ...ledger.close({ status: 'cancelled' })]
  })

  test('verify sees what is missing, doubled or out of order', () => {
    fc.assert(
      fc.property(streams, fc.nat(), (stream, at) => {
        const index = at % stream.length
        const { call_id } = stream[index]!
        const next = stream.findIndex((envelope, i) => i > index && envelope.call_id === call_id)
        // The last envelope of a call may be a warning after its end: without it the stream is as valid.
        fc.pre(next !== -1)
        expect(verify(stream.toSpliced(index, 1))).not.toEqual([])
        expect(verify(stream.toSpliced(index, 0, stream[index]!))).not.toEqual([])
        expect(verify(stream.with(index, stream[next]!).with(next, stream[index]!))).not.toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})

test('a log nested deeper than the stack is closed, the deepest call first', () => {
  const calls = Array.from({ length: 20_000 }, (_, i) => `c${i}`)
  const history = calls.map((call_id, i): Envelope => ({
    type: 'tool_start',
    ts: 1,
    trace_id: 't',
    run_id: 'r',
    call_id,
    parent_id: calls[i - 1] ?? null,
    seq: 1,
    origin: 'live',
    agent,
    payload: { tool_name: call_id, kind: i === 0 ? 'graph' : 'tool', input: {} },
  }))
  const ended = createLedger({ trace_id: 't', run_id: 'r', history }).close({ status: 'cancelled' })
  expect(ended.map(({ call_id }) => call_id)).toEqual(calls.toReversed())
  expect(verify([...history, ...ended])).toEqual([])
})
