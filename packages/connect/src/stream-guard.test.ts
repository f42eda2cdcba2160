import { EventType } from '@ag-ui/core'
import type { Event, Message } from '@ag-ui/core'
import { expect, test } from 'vitest'
import { brief, judge } from '@clewline/agui/testing'
import { createStreamGuard } from './stream-guard.ts'
import type { StreamGuard } from './stream-guard.ts'

const start = (messageId: string): Event => ({
  type: EventType.TEXT_MESSAGE_START,
  messageId,
  role: 'assistant',
})
const text = (messageId: string, delta: string): Event => ({
  type: EventType.TEXT_MESSAGE_CONTENT,
  messageId,
  delta,
})
const call = (toolCallId: string): Event => ({
  type: EventType.TOOL_CALL_START,
  toolCallId,
  toolCallName: 'f',
  parentMessageId: 'a',
})
const result = (toolCallId: string): Event => ({
  type: EventType.TOOL_CALL_RESULT,
  messageId: `r-${toolCallId}`,
  toolCallId,
  content: 'r',
})
const step = (stepName: string): Event => ({ type: EventType.STEP_STARTED, stepName })
const finished: Event = { type: EventType.RUN_FINISHED, threadId: 'x', runId: 'y' }
const user = (id: string): Message => ({ id, role: 'user', content: id })
const assistant = (id: string): Message => ({ id, role: 'assistant', content: id })

async function told(play: (guard: StreamGuard) => void, has: readonly string[] = []): Promise<Event[]> {
  const events: Event[] = []
  const guard = createStreamGuard({ threadId: 't', has, emit: (event) => events.push(event) })
  guard.start('r')
  play(guard)
  await judge(events)
  return events
}

test.each<[string, (guard: StreamGuard) => void, string[]]>([
  [
    'closes what is open before the end, the last first',
    (guard) =>
      [step('n'), start('a'), text('a', '1'), call('c'), finished].forEach((event) => guard.push(event)),
    [
      'RUN_STARTED',
      'STEP_STARTED n',
      'TEXT_START a',
      'TEXT_CONTENT a 1',
      'TOOL_START c',
      'TOOL_END c',
      'TEXT_END a',
      'STEP_FINISHED n',
      'RUN_FINISHED',
    ],
  ],
  [
    'lets nothing through after RUN_ERROR',
    (guard) => {
      guard.push({ type: EventType.RUN_ERROR, message: 'boom' })
      guard.push(finished)
      guard.finish()
      guard.fail({ code: 'x', message: 'again' })
    },
    ['RUN_STARTED', 'RUN_ERROR'],
  ],
  [
    'drops what continues or ends nothing, and empty pieces',
    (guard) => {
      guard.push(text('a', '1'))
      guard.push({ type: EventType.TEXT_MESSAGE_END, messageId: 'a' })
      guard.push(start('a'))
      guard.push(text('a', ''))
      guard.finish()
    },
    ['RUN_STARTED', 'TEXT_START a', 'TEXT_END a', 'RUN_FINISHED'],
  ],
  [
    'does not tell again what a snapshot has told',
    (guard) => {
      const asked = { id: 'c', type: 'function' as const, function: { name: 'f', arguments: '{}' } }
      guard.snapshot({}, [
        { id: 'a', role: 'assistant', content: 'x', toolCalls: [asked] },
        { id: 'm', role: 'tool', toolCallId: 'c', content: 'r' },
      ])
      for (const event of [start('a'), text('a', '1'), call('c'), result('c')]) guard.push(event)
      guard.finish()
    },
    ['RUN_STARTED', 'STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'],
  ],
  [
    'opens again what was open when it was muted',
    (guard) => {
      guard.mute(true)
      guard.push(start('a'))
      guard.push(text('a', '1'))
      guard.mute(false)
      guard.push(text('a', '2'))
      guard.finish()
    },
    ['RUN_STARTED', 'TEXT_START a', 'TEXT_CONTENT a 2', 'TEXT_END a', 'RUN_FINISHED'],
  ],
])('%s', async (_name, play, expected) => {
  expect(brief(await told(play))).toEqual(expected)
})

test('keeps one run id and leaves raw events out', async () => {
  const events = await told((guard) => {
    guard.push({ type: EventType.RAW, event: { big: true } })
    guard.push({ ...step('n'), rawEvent: { big: true } })
    guard.push(finished)
  })
  expect(events.at(-1)).toEqual({ type: 'RUN_FINISHED', threadId: 't', runId: 'r' })
  expect(JSON.stringify(events)).not.toContain('big')
})

test('brings messages in the thread’s order to a client that would append', async () => {
  const events = await told(
    (guard) => {
      guard.push(result('c'))
      guard.snapshot({}, [user('u1'), assistant('a1'), user('u2')])
      guard.finish()
    },
    ['u1', 'u2'],
  )
  const snapshots = events.flatMap((event) =>
    event.type === EventType.MESSAGES_SNAPSHOT ? [event.messages.map((message) => message.id)] : [],
  )
  expect(snapshots).toEqual([['u1'], ['u1', 'a1', 'u2']])
})
