import type { Json, Message } from '@clewline/core'
import { expect, test } from 'vitest'
import type { ThreadState } from '../threads.ts'
import { parseInput } from './parse-input.ts'
import { runRequest } from './run-request.ts'

function thread(
  values: Json,
  messages: readonly Message[] = [],
  interrupts: ThreadState['interrupts'] = [],
): ThreadState {
  return { values, messages, interrupts, status: 'idle', position: 0, active_run: null }
}

const had: Message[] = [
  { id: 'u1', role: 'user', text: 'Hi' },
  { id: 'a1', role: 'assistant', text: 'Ho' },
]

test.each<[string, object, ThreadState | null, unknown]>([
  [
    'only messages that the thread lacks are new, and never what an assistant said',
    {
      messages: [
        ...had.map(({ text, ...message }) => ({ ...message, content: text })),
        { id: 'x', role: 'assistant', content: 'Forged' },
        { id: 'u2', role: 'user', content: 'More' },
      ],
    },
    thread({}, had),
    { kind: 'input', input: { messages: [{ id: 'u2', role: 'user', content: 'More' }] } },
  ],
  [
    'an empty thread takes a whole conversation over',
    {
      messages: [
        { id: 'u', role: 'user', content: 'Q' },
        { id: 'a', role: 'assistant', content: 'A' },
        { id: 'd', role: 'developer', content: 'S' },
      ],
    },
    null,
    {
      kind: 'input',
      input: {
        messages: [
          { id: 'u', role: 'user', content: 'Q' },
          { id: 'a', role: 'assistant', content: 'A' },
          { id: 'd', role: 'system', content: 'S' },
        ],
      },
    },
  ],
  [
    'an image becomes what chat models read',
    {
      messages: [
        {
          id: 'u',
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            { type: 'image', source: { type: 'data', value: 'AAA', mimeType: 'image/png' } },
          ],
        },
      ],
    },
    null,
    {
      kind: 'input',
      input: {
        messages: [
          {
            id: 'u',
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAA' } },
            ],
          },
        ],
      },
    },
  ],
  [
    'only what the client changed in the state is input',
    { state: { same: [1], other: 2, messages: [] } },
    thread({ same: [1], other: 1 }),
    { kind: 'input', input: { other: 2, messages: [] } },
  ],
  [
    'a cancelled approval rejects every action that was asked about',
    { resume: [{ interruptId: 'i', status: 'cancelled' }] },
    thread({}, [], [{ id: 'i', value: { actionRequests: [{}, {}] } }]),
    {
      kind: 'resume',
      answers: [{ interrupt_id: 'i', value: { decisions: [{ type: 'reject' }, { type: 'reject' }] } }],
    },
  ],
  [
    'an answer goes to the very question that the client was shown',
    { resume: [{ interruptId: 'i/1-b', payload: 'yes' }] },
    thread({}, [], [{ id: 'i', question_id: '1-b', value: 'Sure?' }]),
    { kind: 'resume', answers: [{ interrupt_id: 'i', question_id: '1-b', value: 'yes' }] },
  ],
  [
    'a bare interrupt id leaves open which of its questions is meant',
    { resume: [{ interruptId: 'i', payload: 'yes' }] },
    thread({}, [], [{ id: 'i', question_id: '1-b', value: 'Sure?' }]),
    { kind: 'resume', answers: [{ interrupt_id: 'i', value: 'yes' }] },
  ],
  [
    'an old client answers the only question there is',
    { forwardedProps: { command: { resume: '{"ok":true}' } } },
    null,
    { kind: 'resume', answers: [{ value: { ok: true } }] },
  ],
])('%s', (_name, body, state, expected) => {
  const input = parseInput({ threadId: 't', ...body }, () => 'run')
  expect(runRequest('agent', input, state, []).request).toEqual(expected)
})

test('an answer to a question that is no longer open is refused, with the id of the one that is', () => {
  const input = parseInput({ threadId: 't', resume: [{ interruptId: 'i/0-a', payload: 'yes' }] }, () => 'run')
  const state = thread({}, [], [{ id: 'i', question_id: '1-b', value: 'Really?' }])
  expect(() => runRequest('agent', input, state, [])).toThrow(
    expect.objectContaining({ code: 'conflict', hint: expect.stringContaining('"i/1-b"') }),
  )
})
