import { describe, expect, test } from 'vitest'
import { readRunInput } from './run-input.ts'

describe('the input of a run', () => {
  test.each([
    ['a text', 'hi', [{ role: 'user', content: 'hi' }]],
    ['one message', { role: 'user', content: 'hi' }, [{ role: 'user', content: 'hi' }]],
    [
      'a message as LangChain writes it',
      { messages: [{ type: 'human', content: 'hi' }] },
      [{ role: 'user', content: 'hi' }],
    ],
    [
      'parts, of which text counts',
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'look' },
              { type: 'image_url', image_url: {} },
              { type: 'text', text: 'here' },
            ],
          },
        ],
      },
      [{ role: 'user', content: 'look here' }],
    ],
    [
      'an AG-UI call and its result',
      {
        messages: [
          {
            id: 'a',
            role: 'assistant',
            toolCalls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
          },
          { id: 'r', role: 'tool', toolCallId: 'c', content: 'ok' },
        ],
      },
      [
        {
          id: 'a',
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', name: 'f', arguments: '{"x":1}' }],
        },
        { id: 'r', role: 'tool', content: 'ok', tool_call_id: 'c' },
      ],
    ],
    [
      'a call of Clewline, and reasoning that is not for the model',
      {
        messages: [
          { role: 'reasoning', content: 'hm' },
          { role: 'assistant', content: 'so', tool_calls: [{ id: 'c', name: 'f', args: { x: 1 } }] },
        ],
      },
      [{ role: 'assistant', content: 'so', tool_calls: [{ id: 'c', name: 'f', arguments: '{"x":1}' }] }],
    ],
  ])('may be %s', (_name, input, messages) => {
    expect(readRunInput(input).messages).toEqual(messages)
  })

  test('has everything but its messages as state', () => {
    expect(readRunInput({ recipe: { title: 'x' }, messages: [] }).state).toEqual({ recipe: { title: 'x' } })
    expect(readRunInput({ messages: [] }).state).toBeUndefined()
  })

  test.each([
    [7],
    [null],
    [[]],
    [{ messages: 'hi' }],
    [{ messages: [{ role: 'tool', content: 'x' }] }],
    [{ messages: [3] }],
  ])('is refused when it is %j', (input) => {
    expect(() => readRunInput(input)).toThrow(/cannot be read/)
  })
})
