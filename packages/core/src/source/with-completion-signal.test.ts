import { expect, test } from 'vitest'
import type { Draft } from './draft.ts'
import { createLedger } from './ledger.ts'
import type { RunContext, Source } from './source.ts'
import { withCompletionSignal, type CompletionSignal } from './with-completion-signal.ts'
import { verify } from '../check/verify.ts'

const agent = 'researcher'
const result = { messages: [], files: { 'report.md': '# Done' }, usage: {} }

const source: Source = {
  name: agent,
  describe: () => ({ name: agent }),
  async run(_, context) {
    await context.emit({
      type: 'tool_start',
      path: [],
      agent,
      payload: { tool_name: 'main', kind: 'graph', input: {} },
    })
    await context.emit({
      type: 'tool_start',
      path: ['sub'],
      agent,
      payload: { tool_name: 'research', kind: 'subagent', input: {} },
    })
    await context.emit({
      type: 'tool_end',
      path: ['sub'],
      agent,
      payload: { tool_name: 'research', result, status: 'ok' },
    })
    await context.emit({
      type: 'tool_end',
      path: [],
      agent,
      payload: { tool_name: 'main', result, status: 'ok' },
    })
    return { status: 'success' }
  },
}

async function said(signal: CompletionSignal, isSlow: boolean): Promise<string[]> {
  const ledger = createLedger({ trace_id: 't', run_id: 'r' })
  const drafts: Draft[] = []
  const context: RunContext = {
    thread_id: 'th',
    run_id: 'r',
    trace_id: 't',
    checkpointer: null,
    signal: new AbortController().signal,
    drain: new AbortController().signal,
    isOpen: () => false,
    emit(draft) {
      drafts.push(draft)
      return isSlow ? Promise.resolve() : undefined
    },
  }
  await withCompletionSignal(source, signal).run({ kind: 'input', input: {} }, context)
  expect(verify(drafts.flatMap((draft) => ledger.stamp(draft)))).toEqual([])
  return drafts.map(
    ({ type, payload }) => `${type} ${'tool_name' in payload && JSON.stringify(payload.tool_name)}`,
  )
}

test.each<[string, CompletionSignal, string[]]>([
  [
    'the run',
    { name: 'research_done' },
    [
      'tool_start "main"',
      'tool_start "research"',
      'tool_end "research"',
      'tool_start "research_done"',
      'tool_end "research_done"',
      'tool_end "main"',
    ],
  ],
  [
    'a sub-agent',
    { name: 'research_done', of: ['research'] },
    [
      'tool_start "main"',
      'tool_start "research"',
      'tool_start "research_done"',
      'tool_end "research_done"',
      'tool_end "research"',
      'tool_end "main"',
    ],
  ],
])('a named call says that %s is done, before it ends', async (_, signal, expected) => {
  expect(await said(signal, false)).toEqual(expected)
  expect(await said(signal, true)).toEqual(expected)
})
