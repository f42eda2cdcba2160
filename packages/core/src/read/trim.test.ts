import { expect, test } from 'vitest'
import type { Envelope } from '../envelope.ts'
import { trim } from './trim.ts'

const update = (text: string): Envelope => ({
  type: 'tool_update',
  ts: 1,
  trace_id: 't',
  run_id: 'r',
  call_id: 'c',
  parent_id: null,
  seq: 1,
  origin: 'live',
  agent: 'a',
  payload: { tool_name: 'look', text },
})

test('a short log stays as it is', () => {
  const short = update('done')
  expect(trim(short)).toBe(short)
})

test.each([0, 1])('a long log is never cut inside a character (shifted by %i)', (shift) => {
  const text = 'x'.repeat(shift) + '😀'.repeat(5_000)
  const said = JSON.stringify(trim(update(text)).payload)
  // JSON writes half a character as an escape.
  expect(said).not.toMatch(/\\ud[89a-f]/i)
  const [, head = '', cut = '', tail = ''] = /"text":"(.*)…\[cut: (\d+) characters\]…(.*)"/.exec(said) ?? []
  expect(head.length + Number(cut) + tail.length).toBe(text.length)
})
