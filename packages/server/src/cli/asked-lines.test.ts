import type { Envelope, RawMessage } from '@clewline/core'
import { expect, test } from 'vitest'
import { createAskedLines } from './asked-lines.ts'

const asked = (
  agent: string,
  messages?: readonly RawMessage[],
): Extract<Envelope, { type: 'llm_start' }> => ({
  type: 'llm_start',
  ts: 0,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: 'p',
  seq: 1,
  origin: 'live',
  agent,
  payload: {
    model: 'gpt',
    params: {},
    ...(messages !== undefined && { input: { messages, tools: [{ function: { name: 'search' } }] } }),
  },
})

test('each call of an agent shows what is new since its call before', () => {
  const lines = createAskedLines()
  const system = { type: 'system', content: 'Be brief.' }
  const human = { type: 'human', content: [{ type: 'text', text: 'Why\n\u001b[31mred?' }] }
  const ai = { type: 'ai', content: '', tool_calls: [{ name: 'search', args: {} }] }
  expect(lines(asked('main', [system, human]))).toEqual([
    '? asks gpt',
    '  system: Be brief.',
    '  human: Why red?',
    '  tools: search',
  ])
  expect(lines(asked('other', [human]))).toEqual(['? asks gpt', '  human: Why red?', '  tools: search'])
  expect(lines(asked('main', [system, human, ai]))).toEqual([
    '? asks gpt',
    '  … 2 as before',
    '  ai: search()',
    '  tools: search',
  ])
})

test('a call whose input was not recorded says so', () => {
  expect(createAskedLines()(asked('main'))).toEqual(['? gpt: what it was asked was not recorded'])
})
