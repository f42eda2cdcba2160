import { expect, test } from 'vitest'
import type { Envelope } from '../envelope.ts'
import type { Json } from '../json.ts'
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

const ended = (result: Json): Envelope => ({
  ...update(''),
  type: 'tool_end',
  payload: { tool_name: 'a', result, status: 'ok' },
})

test('the messages and files of a graph are left whole, its output is cut', () => {
  const long = 'x'.repeat(100_000)
  const completion = {
    messages: [{ id: 'm', role: 'assistant', text: long }],
    files: { 'notes.md': long },
    usage: {},
  }
  expect(trim(ended(completion))).toEqual(ended(completion))
  const { payload } = trim(ended({ ...completion, output: { rows: [long, 'short'] } }))
  expect(payload).toMatchObject({ result: completion })
  expect(JSON.stringify(payload).length).toBeLessThan(220_000)
  expect(JSON.stringify(payload)).toMatch(/x…\[cut: \d+ characters\]","short"\]/)
})

test('a state is cut key by key', () => {
  const whole: Envelope = {
    ...update(''),
    type: 'tool_update',
    payload: { tool_name: 'a', delta: { state: { page: 'x'.repeat(100_000), step: 2 } } },
  }
  const { payload } = trim(whole)
  expect(payload).toMatchObject({ delta: { state: { step: 2 } } })
  expect(JSON.stringify(payload).length).toBeLessThan(66_000)
})
