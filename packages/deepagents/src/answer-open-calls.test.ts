import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { expect, it } from 'vitest'
import { withAnswers } from './answer-open-calls.ts'

const call = (id: string) => ({ id, name: 'search', args: {} })

it('answers each call that has no answer, right after the message that made it', () => {
  const messages = [
    new HumanMessage('a'),
    new AIMessage({ content: '', tool_calls: [call('1'), call('2')] }),
    new ToolMessage({ content: 'found', tool_call_id: '1' }),
    new HumanMessage('b'),
  ]
  const told = withAnswers(messages)
  expect(
    told.map((message) => (ToolMessage.isInstance(message) ? message.tool_call_id : message.type)),
  ).toEqual(['human', 'ai', '2', '1', 'human'])
  expect(told[2]).toMatchObject({ status: 'error', name: 'search' })
})

it('hands on the same array when nothing is open', () => {
  const messages = [new HumanMessage('a'), new AIMessage('b')]
  expect(withAnswers(messages)).toBe(messages)
})

it('leaves out answers to calls that nobody made, that come before their call, or that come twice', () => {
  const answer = (content: string, tool_call_id: string) => new ToolMessage({ content, tool_call_id })
  const messages = [
    answer('trimmed', '0'),
    answer('too early', '1'),
    new HumanMessage('a'),
    new AIMessage({ content: '', tool_calls: [call('1')] }),
    answer('found', '1'),
    answer('again', '1'),
    answer('unknown', '9'),
    new HumanMessage('b'),
  ]
  expect(withAnswers(messages).map((message) => message.text)).toEqual(['a', '', 'found', 'b'])
})

it('takes an id that is used again in a later turn for another call', () => {
  const turn = (content: string) => [
    new AIMessage({ content: '', tool_calls: [call('1')] }),
    new ToolMessage({ content, tool_call_id: '1' }),
  ]
  const messages = [...turn('first'), ...turn('second')]
  expect(withAnswers(messages)).toBe(messages)
  const [asked, ...rest] = messages
  const told = withAnswers([asked!, ...rest.slice(1)])
  expect(told.map((message) => message.type)).toEqual(['ai', 'tool', 'ai', 'tool'])
  expect(told[1]).toMatchObject({ status: 'error' })
  expect(told[3]?.text).toBe('second')
})
