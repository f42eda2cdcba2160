import { EventType } from '@ag-ui/core'
import type { Event } from '@ag-ui/core'
import { expect, test } from 'vitest'
import { brief } from '../testing/judge.ts'
import { joinDeltas } from './join-deltas.ts'

const text = (messageId: string, delta: string): Event => ({
  type: EventType.TEXT_MESSAGE_CONTENT,
  messageId,
  delta,
})
const args = (toolCallId: string, delta: string): Event => ({
  type: EventType.TOOL_CALL_ARGS,
  toolCallId,
  delta,
})
const start = (messageId: string): Event => ({
  type: EventType.TEXT_MESSAGE_START,
  messageId,
  role: 'assistant',
})
const end = (messageId: string): Event => ({ type: EventType.TEXT_MESSAGE_END, messageId })

test.each<[string, Event[], string[]]>([
  ['neighbours are joined', [text('a', '1'), text('a', '2')], ['TEXT_CONTENT a 12']],
  [
    'pieces of others in between do not matter',
    [text('a', '1'), text('b', 'x'), text('a', '2'), args('c', '{'), args('c', '}')],
    ['TEXT_CONTENT a 12', 'TEXT_CONTENT b x', 'TOOL_ARGS c {}'],
  ],
  [
    'nothing is joined across an end',
    [start('a'), text('a', '1'), end('a'), start('a'), text('a', '2')],
    ['TEXT_START a', 'TEXT_CONTENT a 1', 'TEXT_END a', 'TEXT_START a', 'TEXT_CONTENT a 2'],
  ],
])('%s', (_name, events, expected) => {
  expect(brief(joinDeltas(events))).toEqual(expected)
})
