import { isRecord } from '@clewline/core'
import { driveRun } from '@clewline/core/source'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { LangroidAgentConfig } from './config.ts'
import { LangroidAgent } from './langroid-agent.ts'
import { ChatAgent } from './native/chat-agent.ts'
import { MockLM, type MockResponse } from './native/mock-lm.ts'
import { Task } from './native/task.ts'
import { ToolMessage } from './native/tool-message.ts'
import { harness, outline } from './testing/run-source.ts'

const Look = ToolMessage({
  request: 'look',
  purpose: 'To look.',
  fields: z.object({}),
  handle: () => 'a clew',
})
const look: MockResponse = { toolCalls: [{ id: 'c1', name: 'look', args: {} }] }
const script = (...answers: readonly MockResponse[]): ReturnType<typeof MockLM> => {
  let next = 0
  return MockLM({ respond: () => answers[next++] ?? 'nothing more' })
}
const spent = { usage: { input_tokens: 10, output_tokens: 2 } }

describe('the words of a hook in a task', () => {
  const worded = (words: string | null): LangroidAgentConfig => ({
    toolBehaviors: { look: { responseFromResult: () => words } },
  })

  test('are said instead of asking the model, and end the run', async () => {
    const agent = ChatAgent({ name: 'main', model: script(look), tools: [Look] })
    const { say } = harness(LangroidAgent(Task(agent), worded('Here it is.')))
    expect(outline(await say('go')).slice(-5)).toEqual([
      'end look ok',
      'ask',
      'text Here it is.',
      'said ',
      'end main ok',
    ])
  })

  test('are the model’s after all when the hook has none', async () => {
    let looked = 0
    const Count = ToolMessage({
      request: 'look',
      purpose: 'To look.',
      fields: z.object({}),
      handle: () => String(++looked),
    })
    const agent = ChatAgent({ name: 'main', model: script(look, 'DONE found'), tools: [Count] })
    const { say, source } = harness(LangroidAgent(Task(agent), worded(null)))
    const envelopes = await say('go')
    const lines = outline(envelopes)
    expect(lines.slice(-5)).toEqual(['ask', 'text fou', 'text nd', 'said ', 'end main ok'])
    expect(envelopes.flatMap((e) => (e.type === 'llm_start' ? [e.payload.attempt ?? 1] : []))).toEqual([1, 1])
    const { values } = await source.state!({ thread_id: 't', checkpointer: undefined })
    expect(isRecord(values) && values['messages']).toHaveLength(4)
    expect(lines.filter((line) => line === 'start look')).toHaveLength(1)
    expect(looked).toBe(1)
  })
})

describe('a tool that a sub-agent handles', () => {
  test('is a call with a result, and no unknown tool', async () => {
    const main = ChatAgent({ name: 'main', model: script(look, 'DONE thanks') })
    main.enableMessage(Look, { handle: false })
    const helper = Task(ChatAgent({ name: 'helper', model: script(), tools: [Look] }), {
      doneIfResponse: ['Agent'],
    })
    const { say } = harness(LangroidAgent(Task(main, { subTasks: [helper] })))
    const lines = outline(await say('go'))
    expect(lines).toEqual(
      expect.arrayContaining(['start helper', 'start look', 'end look ok', 'end helper ok']),
    )
    expect(lines.join()).not.toContain('warning')
  })
})

test('what a task and its sub-tasks cost is in their ends', async () => {
  const main = ChatAgent({
    name: 'main',
    model: script({ text: '2*3?', ...spent }, { text: 'DONE six', ...spent }),
  })
  const helper = Task(ChatAgent({ name: 'helper', model: script({ text: 'six', ...spent }) }), {
    singleRound: true,
  })
  const { say } = harness(LangroidAgent(Task(main, { subTasks: [helper] })))
  const usages = (await say('go')).flatMap((e) =>
    e.type === 'tool_end' && isRecord(e.payload.result)
      ? [[e.payload.tool_name, e.payload.result['usage']]]
      : [],
  )
  expect(usages).toEqual([
    ['helper', { input_tokens: 10, output_tokens: 2 }],
    ['main', { input_tokens: 30, output_tokens: 6 }],
  ])
})

test('an interactive task ends its run with each answer, and the next message goes on', async () => {
  const main = ChatAgent({ name: 'main', model: script('your name?', 'hello') })
  const { say } = harness(LangroidAgent(Task(main, { interactive: true })))
  expect(outline(await say('hi'))).toEqual([
    'start main',
    'ask',
    'text your nam',
    'text e?',
    'said ',
    'end main ok',
  ])
  expect(outline(await say('Ann'))).toContain('text hello')
})

test('a task of an earlier version, which kept no journal, starts again from its input and says so', async () => {
  const asked: string[] = []
  const model = MockLM({
    respond: (text) => {
      asked.push(text)
      return 'DONE ok'
    },
  })
  const backend = harness(
    LangroidAgent(Task(ChatAgent({ name: 'main', model })), {
      history: {
        load: async () => ({
          messages: [{ role: 'user', content: 'the question' }],
          shown: [],
          state: {},
          executed: [],
          progress: { trace_id: 'old', turn: 1 },
        }),
        save: async () => {},
      },
    }),
  )
  const lines: string[] = []
  const outcome = await driveRun(
    backend.source,
    { kind: 'recover' },
    {
      thread_id: 't',
      run_id: 'r',
      trace_id: 'old',
      write: (envelopes) => void lines.push(...outline(envelopes)),
    },
  )
  expect(outcome).toEqual({ status: 'success' })
  expect(asked).toEqual(['the question'])
  expect(lines).toContain('warning restarted')
})
