import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Delta, Envelope } from '../envelope.ts'
import type { Entry } from '../event-log.ts'
import { createSampler, GROUP, type Sampler } from './sampler.ts'
import type { Draft } from '../source/draft.ts'
import { createLedger } from '../source/ledger.ts'
import { verify } from '../check/verify.ts'

const agent = 'a'

const start = (path: string): Draft =>
  path === ''
    ? { type: 'tool_start', path: [], agent, payload: { tool_name: 'main', kind: 'graph', input: {} } }
    : path.startsWith('llm')
      ? { type: 'llm_start', path: [path], agent, payload: { model: 'm', params: {} } }
      : { type: 'tool_start', path: [path], agent, payload: { tool_name: path, kind: 'tool', args: {} } }
const token = (path: string, text: string, more: object = {}): Draft => ({
  type: 'llm_token',
  path: [path],
  agent,
  payload: { text, ...more },
})
const update = (
  path: string,
  payload: { text?: string; delta?: Delta; progress?: { done: number } },
): Draft => ({
  type: 'tool_update',
  path: path === '' ? [] : [path],
  agent,
  payload: { tool_name: path, ...payload },
})
const end = (path: string): Draft =>
  path.startsWith('llm')
    ? {
        type: 'llm_end',
        path: [path],
        agent,
        payload: { usage: {}, finish_reason: 'stop', message: { id: 'm', text: '', tool_calls: [] } },
      }
    : {
        type: 'tool_end',
        path: path === '' ? [] : [path],
        agent,
        payload: { tool_name: path, result: { messages: [], files: {}, usage: {} }, status: 'ok' },
      }
const warn = (path: string): Draft => ({
  type: 'warning',
  path: [path],
  agent,
  payload: { code: 'w', message: 'w' },
})

type Timed = readonly [ms: number, draft: Draft]

/** The log that the drafts make, each entry with the time at which it arrives. */
function logOf(drafts: readonly Timed[]): readonly (readonly [number, Entry])[] {
  const ledger = createLedger({ trace_id: 't', run_id: 'r', now: () => 0 })
  let position = 0
  return drafts.flatMap(([ms, draft]) =>
    ledger.stamp(draft).map((envelope) => [ms, { position: ++position, envelope }] as const),
  )
}

interface Shown extends Entry {
  readonly at: number
}

/** Runs a sampler as its operator does: what is due is flushed when it is due. */
function run(sampler: Sampler, log: readonly (readonly [number, Entry])[]): readonly Shown[] {
  const shown: Shown[] = []
  const show = (at: number, entries: readonly Entry[]): void => {
    for (const entry of entries) shown.push({ at, ...entry })
  }
  for (const [ms, entry] of log) {
    for (let due = sampler.dueAt(); due !== null && due <= ms; due = sampler.dueAt())
      show(due, sampler.flush(due))
    show(ms, sampler.push(entry, ms))
  }
  for (let due = sampler.dueAt(); due !== null; due = sampler.dueAt()) show(due, sampler.flush(due))
  return shown
}

function brief({ at, position, envelope }: Shown): string {
  const { type, seq } = envelope
  const isJoinable = envelope.type === 'llm_token' || envelope.type === 'tool_update'
  const from = isJoinable ? envelope.payload.from_seq : undefined
  const text = isJoinable ? ` ${envelope.payload.text}` : ''
  return `${at} @${position} ${type} ${from === undefined ? seq : `${from}-${seq}`}${text}`
}

describe('profile user', () => {
  test.each<[string, Timed[], string[]]>([
    [
      'shows the first token at once and joins the others in windows of 50 ms',
      [
        [0, start('')],
        [0, start('llm')],
        [1, token('llm', 'a')],
        [2, token('llm', 'b')],
        [30, token('llm', 'c')],
        [51, token('llm', 'd')],
        [60, token('llm', 'e')],
        [300, token('llm', 'f')],
      ],
      [
        '0 @1 tool_start 1',
        '0 @2 llm_start 1',
        '1 @3 llm_token 2 a',
        '51 @5 llm_token 3-4 bc',
        '101 @7 llm_token 5-6 de',
        '300 @8 llm_token 7 f',
      ],
    ],
    [
      'shows what waits before the end of its call, and the end at once',
      [
        [0, start('')],
        [0, start('llm')],
        [1, token('llm', 'a')],
        [2, token('llm', 'b')],
        [3, end('llm')],
      ],
      ['0 @1 tool_start 1', '0 @2 llm_start 1', '1 @3 llm_token 2 a', '3 @4 llm_token 3 b', '3 @5 llm_end 4'],
    ],
    [
      'does not join channels or tool calls with each other',
      [
        [0, start('')],
        [0, start('llm')],
        [0, token('llm', 'a', { channel: 'reasoning' })],
        [1, token('llm', 'b', { channel: 'reasoning' })],
        [2, token('llm', 'c')],
        [3, token('llm', 'd', { channel: 'text' })],
        [4, token('llm', '{', { channel: 'tool_args', tool_call: { id: 'x', name: 'f', index: 0 } })],
        [5, token('llm', '}', { channel: 'tool_args', tool_call: { id: '', name: '', index: 0 } })],
        [6, token('llm', '[', { channel: 'tool_args', tool_call: { id: 'y', name: 'f', index: 1 } })],
      ],
      [
        '0 @1 tool_start 1',
        '0 @2 llm_start 1',
        '0 @3 llm_token 2 a',
        '2 @4 llm_token 3 b',
        '4 @6 llm_token 4-5 cd',
        '6 @8 llm_token 6-7 {}',
        '56 @9 llm_token 8 [',
      ],
    ],
    [
      'carries a position up to which everything has been shown',
      [
        [0, start('')],
        [0, start('llm 1')],
        [0, start('llm 2')],
        [0, token('llm 1', 'a')],
        [10, token('llm 1', 'b')],
        [11, token('llm 2', 'c')],
        [12, end('llm 2')],
      ],
      [
        '0 @1 tool_start 1',
        '0 @2 llm_start 1',
        '0 @3 llm_start 1',
        '0 @4 llm_token 2 a',
        '11 @4 llm_token 2 c',
        '12 @4 llm_end 3',
        '50 @7 llm_token 3 b',
      ],
    ],
    [
      'shows at most four updates of a call in a second',
      [
        [0, start('')],
        ...Array.from({ length: 20 }, (_, i): Timed => [i * 50, update('', { text: `${i},` })]),
      ],
      [
        '0 @1 tool_start 1',
        '0 @2 tool_update 2 0,',
        '250 @6 tool_update 3-6 1,2,3,4,',
        '500 @11 tool_update 7-11 5,6,7,8,9,',
        '750 @16 tool_update 12-16 10,11,12,13,14,',
        '1000 @21 tool_update 17-21 15,16,17,18,19,',
      ],
    ],
  ])('%s', (_, drafts, expected) => {
    expect(run(createSampler({ profile: 'user' }), logOf(drafts)).map(brief)).toEqual(expected)
  })

  test('merges what updates change instead of losing it', () => {
    const files = (delta: Delta['files']): Draft => update('', { delta: { files: delta ?? {} } })
    const shown = run(
      createSampler({ profile: 'user' }),
      logOf([
        [0, start('')],
        [0, update('', { progress: { done: 0 } })],
        [
          1,
          update('', {
            progress: { done: 1 },
            delta: { todos: [{ content: 'x', status: 'pending' }], state: { a: 1, b: 1 } },
          }),
        ],
        [2, update('', { delta: { todos: [{ content: 'x', status: 'completed' }], state: { b: 2 } } })],
        [3, files({ added: { new: '1' }, changed: { old: '1' }, removed: ['back', 'gone'] })],
        [4, files({ added: { back: '2', brief: '2' }, changed: { new: '2' } })],
        [5, files({ changed: { old: '3' }, removed: ['brief'] })],
      ]),
    )
    expect(shown.at(-1)?.envelope.payload).toEqual({
      tool_name: '',
      progress: { done: 1 },
      delta: {
        todos: [{ content: 'x', status: 'completed' }],
        state: { a: 1, b: 2 },
        files: { added: { new: '2' }, changed: { old: '3', back: '2' }, removed: ['gone', 'brief'] },
      },
      from_seq: 3,
    })
  })

  test('keeps the order in which two calls change one file', () => {
    const write = (path: string, text: string): Draft =>
      update(path, { delta: { files: { changed: { f: text } } } })
    const shown = run(
      createSampler({ profile: 'user' }),
      logOf([
        [0, start('')],
        [0, start('a')],
        [0, start('b')],
        [1, write('a', '1')],
        [2, write('a', '2')],
        [3, write('b', '3')],
      ]),
    )
    expect(shown.slice(3).map(({ envelope }) => envelope.payload)).toMatchObject(
      ['1', '2', '3'].map((text) => ({ delta: { files: { changed: { f: text } } } })),
    )
  })

  test('trims long logs and results of tools with a mark, and nothing of a graph', () => {
    const long = 'x'.repeat(100_000)
    const result = { messages: [{ id: '', role: 'assistant', text: long }], files: {}, usage: {} } as const
    const [, , log, toolEnd, rootEnd] = run(
      createSampler({ profile: 'user' }),
      logOf([
        [0, start('')],
        [0, start('a')],
        [1, update('a', { text: long })],
        [
          2,
          {
            type: 'tool_end',
            path: ['a'],
            agent,
            payload: { tool_name: 'a', result: { out: long }, status: 'ok' },
          },
        ],
        [3, { type: 'tool_end', path: [], agent, payload: { tool_name: 'main', result, status: 'ok' } }],
      ]),
    )
    expect(log?.envelope.payload).toMatchObject({
      text: expect.stringMatching(/^x{2000}…\[cut: 96000 characters\]…x{2000}$/),
    })
    expect(JSON.stringify(toolEnd?.envelope).length).toBeLessThan(17_000)
    expect(JSON.stringify(toolEnd?.envelope)).toContain('[cut: ')
    expect(rootEnd?.envelope.payload).toMatchObject({ result })
  })

  test('refuses a window that the protocol does not allow', () => {
    expect(() => createSampler({ profile: 'user', windowMs: 10 })).toThrow('10 ms')
  })
})

test('profile debug shows everything as it is', () => {
  const log = logOf([
    [0, start('')],
    [0, start('llm')],
    [0, token('llm', 'a')],
    [0, token('llm', 'b')],
  ])
  expect(run(createSampler({ profile: 'debug' }), log)).toEqual(log.map(([at, entry]) => ({ at, ...entry })))
})

const call = fc.constantFrom('llm 1', 'llm 2', 'tool 1', 'tool 2')
const action = fc.oneof(
  { weight: 8, arbitrary: call.map((path) => (n: number) => [speak(path, n)]) },
  // Long bursts without a pause are what reaches the bound on groups.
  {
    weight: 1,
    arbitrary: fc.tuple(call, fc.integer({ min: 1, max: 700 })).map(
      ([path, times]) =>
        (n: number) =>
          Array.from({ length: times }, (_, i) => speak(path, n * 1000 + i)),
    ),
  },
  { weight: 1, arbitrary: call.map((path) => () => [end(path), start(path)]) },
  { weight: 1, arbitrary: call.map((path) => () => [warn(path)]) },
)

function speak(path: string, n: number): Draft {
  if (path.startsWith('llm')) return token(path, `${n},`, n % 7 === 0 ? { channel: 'reasoning' } : {})
  return update(path, {
    text: `${n},`,
    delta: { state: { [`k${n % 3}`]: n }, files: { changed: { [`f${n % 5}`]: `${n}` } } },
  })
}

const drafts = fc
  .array(fc.tuple(fc.constantFrom(0, 0, 1, 20, 300), action), { maxLength: 60 })
  .map((steps) => {
    let ms = 0
    const timed: Timed[] = ['', 'llm 1', 'llm 2', 'tool 1', 'tool 2'].map((path) => [0, start(path)])
    steps.forEach(([pause, make], n) => {
      ms += pause
      for (const draft of make(n)) timed.push([ms, draft])
    })
    return timed
  })

/** All that a reader can tell of a stream: the text of each call by channel, and what was changed to what. */
function contentOf(entries: readonly { readonly envelope: Envelope }[]): unknown {
  const texts: Record<string, string> = {}
  const state: Record<string, unknown> = {}
  for (const { envelope } of entries) {
    if (envelope.type === 'llm_token') {
      const key = `${envelope.call_id} ${envelope.payload.channel}`
      texts[key] = (texts[key] ?? '') + envelope.payload.text
    } else if (envelope.type === 'tool_update') {
      texts[envelope.call_id] = (texts[envelope.call_id] ?? '') + envelope.payload.text
      Object.assign(state, envelope.payload.delta?.state, envelope.payload.delta?.files?.changed)
    }
  }
  return { texts, state }
}

/** What a reader does that comes back: what it has seen of a call it drops. */
function deduped(entries: readonly Entry[]): readonly Entry[] {
  const seen = new Map<string, number>()
  return entries.filter(({ envelope: { call_id, seq } }) => {
    if (seq <= (seen.get(call_id) ?? 0)) return false
    seen.set(call_id, seq)
    return true
  })
}

test('nothing that is shown is more than 512 positions ahead of something that waits', () => {
  const timed: Timed[] = [
    ...['', 'llm 1', 'llm 2'].map((path): Timed => [0, start(path)]),
    [0, token('llm 2', 'shown')],
    [0, token('llm 2', 'waits')],
    // Alternating channels are not joined, so that each is shown when the next comes.
    ...Array.from({ length: 2000 }, (_, i): Timed => [
      0,
      token('llm 1', '.', i % 2 === 0 ? {} : { channel: 'reasoning' }),
    ]),
  ]
  let newest = 0
  const sampler = createSampler({ profile: 'user' })
  for (const [, entry] of logOf(timed)) {
    for (const { position } of sampler.push(entry, 0)) newest = position
    expect(entry.position - newest).toBeLessThanOrEqual(GROUP)
  }
})

describe('whatever the log holds', () => {
  test('the sampled stream has no silent gap, tells the same, and holds nothing longer than 250 ms', () => {
    fc.assert(
      fc.property(drafts, fc.constantFrom(25, 50, 75), (timed, windowMs) => {
        const log = logOf(timed)
        const shown = run(createSampler({ profile: 'user', windowMs }), log)
        const trimmed = JSON.stringify(shown).includes('[cut: ')
        expect(
          verify(
            shown.map(({ envelope }) => envelope),
            { live: true },
          ),
        ).toEqual([])
        if (!trimmed) expect(contentOf(shown)).toEqual(contentOf(log.map(([, entry]) => entry)))

        const arrived = new Map(log.map(([ms, { envelope }]) => [`${envelope.call_id} ${envelope.seq}`, ms]))
        for (const { at, envelope } of shown) {
          const from = 'from_seq' in envelope.payload ? Number(envelope.payload.from_seq) : envelope.seq
          expect(at - arrived.get(`${envelope.call_id} ${from}`)!).toBeLessThanOrEqual(250)
        }
        const others = (entries: readonly Entry[]) =>
          entries
            .map(({ envelope }) => envelope)
            .filter(({ type }) => type !== 'llm_token' && type !== 'tool_update')
        expect(others(shown)).toEqual(others(log.map(([, entry]) => entry)))
      }),
      { numRuns: 300 },
    )
  })

  test('a reader that is cut off anywhere comes back without a loss or a doubt about what it has seen', () => {
    fc.assert(
      fc.property(drafts, fc.nat(), (timed, cut) => {
        const log = logOf(timed)
        const before = run(createSampler({ profile: 'user' }), log)
        const seen = before.slice(0, (cut % before.length) + 1)
        const after = seen.at(-1)!.position
        expect(seen.map(({ position }) => position)).toEqual(
          seen.map(({ position }) => position).toSorted((a, b) => a - b),
        )
        const rest = log.filter(([, { position }]) => position > after)
        const later = run(createSampler({ profile: 'user', unjoined: GROUP }), rest)
        const all = deduped([...seen, ...later])
        expect(
          verify(
            all.map(({ envelope }) => envelope),
            { live: true },
          ),
        ).toEqual([])
        if (!JSON.stringify(all).includes('[cut: '))
          expect(contentOf(all)).toEqual(contentOf(log.map(([, entry]) => entry)))
      }),
      { numRuns: 300 },
    )
  })
})
