import type { Json } from '@clewline/core'
import { createLedger, type Draft } from '@clewline/core/source'
import { createFold, type View } from '@clewline/core/view'
import { describe, expect, test } from 'vitest'
import { render } from './render.ts'
import { createStyle } from './style.ts'
import { width } from './text.ts'

const agent = 'main'
const start = (
  path: string[],
  name: string,
  kind: 'graph' | 'tool' | 'subagent',
  args: Json,
  who = agent,
): Draft => ({
  type: 'tool_start',
  path,
  agent: who,
  payload: { tool_name: name, kind, args },
})
const end = (path: string[], name: string, result: Json): Draft => ({
  type: 'tool_end',
  path,
  agent,
  payload: { tool_name: name, result, status: 'ok' },
})
const model = (...path: string[]): Draft => ({
  type: 'llm_start',
  path,
  agent,
  payload: { model: 'gpt', params: {} },
})
const token = (text: string, ...path: string[]): Draft => ({
  type: 'llm_token',
  path,
  agent,
  payload: { text },
})
const said = (text: string, ...path: string[]): Draft => ({
  type: 'llm_end',
  path,
  agent,
  payload: {
    usage: { input_tokens: 1200, output_tokens: 30 },
    finish_reason: 'stop',
    message: { id: 'm', text, tool_calls: [] },
  },
})

/** One draft a second, from second 100 on. */
function viewOf(drafts: readonly Draft[]): View {
  let now = 99_000
  const ledger = createLedger({ trace_id: 't', run_id: 'r', now: () => (now += 1000) })
  const fold = createFold()
  let position = 0
  for (const draft of drafts)
    for (const envelope of ledger.stamp(draft)) fold.apply({ position: ++position, envelope })
  return fold.snapshot()
}

const plain = { columns: 60, rows: Infinity, now: 110, frame: 0, style: createStyle(false) }

const root = start([], 'research', 'graph', {})
const running = [
  root,
  model('llm:0'),
  token('Let me', 'llm:0'),
  said('Let me look.', 'llm:0'),
  start(['c1'], 'search', 'tool', { query: 'tea' }),
  end(['c1'], 'search', 'Tea: China.'),
  start(['c2'], 'task', 'subagent', { description: 'Read\nthe sources', subagent_type: 'reader' }, 'reader'),
  model('c2', 'llm:0'),
  token('Reading ', 'c2', 'llm:0'),
  token('the first of three pages.', 'c2', 'llm:0'),
]

describe('render', () => {
  test.each<[string, Draft[], object, string[]]>([
    ['nothing yet', [], {}, ['0 calls · 0.0s']],
    [
      'a tree with what runs, what it says, and the totals',
      running,
      {},
      [
        '⠋ research 1,200→30 · 10s',
        '├─ ✓ gpt 1,200→30 · 2.0s',
        '│    Let me look.',
        '├─ ✓ search tea 1.0s',
        '│    Tea: China.',
        '└─ ⠋ reader Read the sources 4.0s',
        '   └─ ⠋ gpt 3.0s',
        '        Reading the first of three pages.',
        '5 calls · 1,200 tokens in · 30 out · 10s',
      ],
    ],
    [
      'less of what is over when there is little room',
      running,
      { rows: 7 },
      [
        '⠋ research 1,200→30 · 10s',
        '├─ ✓ gpt 1,200→30 · 2.0s',
        '├─ ✓ search tea 1.0s',
        '└─ ⠋ reader Read the sources 4.0s',
        '   └─ ⠋ gpt 3.0s',
        '        Reading the first of three pages.',
        '5 calls · 1,200 tokens in · 30 out · 10s',
      ],
    ],
    [
      'a failure where it happened, and a second attempt',
      [
        root,
        start(['c1'], 'search', 'tool', 'tea'),
        {
          type: 'error',
          path: ['c1'],
          agent,
          payload: { name: 'search', message: 'no\nnet', stack: '', class: 'E' },
        },
        start(['c2'], 'open', 'tool', {}),
        {
          type: 'error',
          path: ['c2'],
          agent,
          payload: { name: 'open', message: 'x', stack: '', class: 'E' },
        },
        start(['c2'], 'open', 'tool', {}),
      ],
      {},
      [
        '⠋ research 10s',
        '├─ ✗ search tea 1.0s',
        '│    no net',
        '└─ ⠋ open attempt 2 · 7.0s',
        '3 calls · 10s',
      ],
    ],
    [
      'progress, plan, files, warnings and questions',
      [
        root,
        start(['c1'], 'crawl', 'tool', {}),
        {
          type: 'tool_update',
          path: ['c1'],
          agent,
          payload: {
            tool_name: 'crawl',
            text: 'page 1\npage 2\n',
            progress: { done: 1, total: 4 },
            delta: {
              todos: [
                { content: 'Plan', status: 'completed' },
                { content: 'Crawl', status: 'in_progress' },
                { content: 'Write', status: 'pending' },
              ],
              files: { added: { 'notes.md': '' } },
            },
          },
        },
        { type: 'warning', path: ['c1'], agent, payload: { code: 'w', message: 'slow page' } },
        {
          type: 'subgraph_checkpoint',
          path: ['c1'],
          agent,
          payload: {
            checkpoint_id: 'c',
            node: 'n',
            state_digest: 'd',
            interrupts: [{ id: 'i', value: 'Go on?' }],
          },
        },
      ],
      {},
      [
        '? research 10s',
        '└─ ? crawl 9.0s',
        '     ━━━━━─────────────── 1/4',
        '     page 2',
        '☑ Plan',
        '◐ Crawl',
        '☐ Write',
        'files: notes.md',
        '! slow page',
        '? Go on?',
        '2 calls · 10s',
      ],
    ],
    [
      'no escape sequence of an agent',
      [root, start(['c1'], 'evil\u001b[2J', 'tool', { a: '\u001b]0;title\u0007x\u202e' })],
      {},
      ['⠋ research 10s', '└─ ⠋ evil x 9.0s', '2 calls · 10s'],
    ],
  ])('shows %s', (_, drafts, size, expected) => {
    expect(render(viewOf(drafts), { ...plain, ...size })).toEqual(expected)
  })

  test.each([5, 8, 12, 40])('never takes more than %i lines, and keeps the newest', (rows) => {
    const many = Array.from({ length: 100 }, (_, i) => [
      start([`c${i}`], `tool ${i}`, 'tool', {}),
      end([`c${i}`], `tool ${i}`, 'done'),
    ]).flat()
    const lines = render(viewOf([root, ...many, start(['last'], 'last', 'tool', {})]), {
      ...plain,
      now: 400,
      rows,
    })
    expect(lines.length).toBeLessThanOrEqual(rows)
    expect(lines.join('\n')).toContain('⠋ last')
    expect(lines.join('\n')).toMatch(/\d+ before/)
  })

  test.each([20, 40, 80])('never takes more than %i columns', (columns) => {
    const wide = [
      root,
      start(['c1'], 'a tool with a long name 漢字漢字漢字漢字漢字', 'tool', { text: '😀'.repeat(50) }),
      { type: 'tool_update', path: ['c1'], agent, payload: { tool_name: 'x', text: '漢字 '.repeat(60) } },
      { type: 'warning', path: [], agent, payload: { code: 'w', message: 'm'.repeat(200) } },
    ] satisfies Draft[]
    for (const line of render(viewOf(wide), { ...plain, columns }))
      expect(width(line)).toBeLessThanOrEqual(columns)
  })
})
