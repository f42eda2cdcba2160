import { describe, expect, test } from 'vitest'
import { deriveTurn, joinMessages } from './derive-turn.ts'
import type { LLMMessage } from './llm-message.ts'

const user = (id: string, content = id): LLMMessage => ({ id, role: 'user', content })
const said = (id: string): LLMMessage => ({ id, role: 'assistant', content: id })
const asks = (id: string, ...calls: readonly string[]): LLMMessage => ({
  id,
  role: 'assistant',
  content: null,
  tool_calls: calls.map((call) => ({ id: call, name: 'f', arguments: '{}' })),
})
const result = (call: string, content = call): LLMMessage => ({ role: 'tool', tool_call_id: call, content })

describe('messages of a client', () => {
  const known = [user('u1'), said('a1'), user('u2'), said('a2')]
  test.each([
    ['are new: they are added', [user('u3')], ['u1', 'a1', 'u2', 'a2', 'u3']],
    ['are the whole history: they are it', [...known, user('u3')], ['u1', 'a1', 'u2', 'a2', 'u3']],
    ['are an edited history: it is cut there', [user('u2', 'better')], ['u1', 'a1', 'u2']],
    ['are none: nothing changes', [], ['u1', 'a1', 'u2', 'a2']],
  ])('that %s', (_name, sent, expected) => {
    expect(joinMessages(known, sent).map((message) => message.id)).toEqual(expected)
  })
})

describe('a run begins with', () => {
  test.each([
    [
      'the newest user message',
      [user('u1'), said('a1'), user('u2')],
      { kind: 'user', text: 'u2' },
      ['u1', 'a1'],
    ],
    ['"Hello" when there is none', [], { kind: 'user', text: 'Hello' }, []],
    ['the question again, when it was answered', [user('u1'), said('a1')], { kind: 'user', text: 'u1' }, []],
    [
      'the results of the calls that were asked last',
      [user('u1'), asks('a1', 'c1', 'c2'), result('c1', 'yes')],
      {
        kind: 'tool_results',
        results: [
          { id: 'c1', content: 'yes' },
          { id: 'c2', content: 'No result: the user did not answer this call.' },
        ],
      },
      ['u1', 'a1'],
    ],
  ])('%s', (_name, messages, input, history) => {
    const turn = deriveTurn(messages, new Set())
    expect(turn.input).toEqual(input)
    expect(turn.history.map((message) => message.id)).toEqual(history)
  })

  test('calls without a result get one', () => {
    const { history } = deriveTurn([user('u1'), asks('a1', 'c1', 'c2'), result('c2'), user('u2')], new Set())
    expect(history.map((m) => [m.role, m.content])).toEqual([
      ['user', 'u1'],
      ['assistant', null],
      ['tool', 'c2'],
      ['tool', 'No result: the user did not answer this call.'],
    ])
  })

  test.each([
    ['unknown-tool-result', [user('u1'), result('nobody')]],
    ['stale-tool-result', [user('u1'), asks('a1', 'c1'), result('c1'), result('c1', 'other')]],
  ])('a warning %s about results that answer nothing', (code, messages) => {
    const turn = deriveTurn(messages, new Set(['c1']))
    expect(turn.warnings.map((warning) => warning.code)).toEqual([code])
    expect(JSON.stringify(turn.messages)).not.toContain('other')
  })
})
