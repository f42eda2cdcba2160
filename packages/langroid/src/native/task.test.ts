import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ChatAgent, type ChatAgentConfig } from './chat-agent.ts'
import { MockLM, type MockResponse } from './mock-lm.ts'
import { orchestration } from './orchestration.ts'
import { Task, type StepEvent, type TaskConfig, type TaskRunOptions } from './task.ts'
import { ToolMessage } from './tool-message.ts'

const Square = ToolMessage({
  request: 'square',
  purpose: 'To square a <number>.',
  fields: z.object({ number: z.number() }),
  handle: ({ number }) => String(number * number),
})

const call = (number: number): MockResponse => `TOOL: {"request": "square", "number": ${number}}`

/** Answers in order, the last one for ever. */
function script(...answers: readonly MockResponse[]): ReturnType<typeof MockLM> {
  let next = 0
  return MockLM({ respond: () => answers[Math.min(next++, answers.length - 1)]! })
}

function trace(
  answers: readonly MockResponse[],
  config: TaskConfig = {},
  agentConfig: Partial<ChatAgentConfig> = {},
): { task: Task; run: (options?: TaskRunOptions) => Promise<unknown> } {
  const model = script(...answers)
  const agent = ChatAgent({ name: 'math', model, tools: [Square], toolFormat: 'text', ...agentConfig })
  const task = Task(agent, config)
  const steps: string[] = []
  const onStep = (step: StepEvent): void => {
    if (step.type === 'answer' && step.task === 'math') steps.push(step.responder)
  }
  return {
    task,
    async run(options = {}) {
      const result = await task.run('4 squared?', { ...options, onStep })
      return { steps, result: result?.content ?? null, status: result?.status ?? null }
    },
  }
}

describe('a task ends as Langroid 0.65.16 ends it', () => {
  test.each([
    ['plain text stalls', ['hello'], {}, {}, ['LLM'], null, null],
    ['one round', ['hello'], { singleRound: true }, {}, ['LLM'], 'hello', 'FIXED_TURNS'],
    ['an answer of the model', ['hello'], { doneIfResponse: ['LLM'] }, {}, ['LLM'], 'hello', 'DONE'],
    ['no tool means done', ['hi'], {}, { handleNoTool: 'done' }, ['LLM', 'Agent'], 'hi', 'DONE'],
    ['DONE', [call(4), 'DONE: it is 16'], {}, {}, ['LLM', 'Agent', 'LLM'], ': it is 16', 'DONE'],
    ['prose with DONE', ['all DONE now'], {}, {}, ['LLM'], 'all  now', 'DONE'],
    ['prose without signals', ['all DONE now'], { recognizeStringSignals: false }, {}, ['LLM'], null, null],
    ['a tool call', [call(4)], { doneIfTool: true }, {}, ['LLM'], call(4), 'DONE'],
    ['a sequence', [call(4)], { doneSequences: ['T, A'] }, {}, ['LLM', 'Agent'], '16', 'DONE'],
    ['an unknown tool stalls', ['TOOL: {"request": "nope"}'], {}, {}, ['LLM'], null, null],
    ['not knowing stalls', ['DO-NOT-KNOW.'], {}, {}, [], null, null],
  ] as const)('%s', async (_name, answers, config, agent, steps, result, status) => {
    expect(await trace(answers, config, agent).run()).toEqual({ steps, result, status })
  })

  test('after a fixed number of turns, with the pending message', async () => {
    const { run } = trace([call(1), call(2), call(3)])
    expect(await run({ turns: 3 })).toEqual({
      steps: ['LLM', 'Agent', 'LLM'],
      result: call(2),
      status: 'FIXED_TURNS',
    })
  })

  test('with an error at step 50 when the same call is made for ever', async () => {
    let asked = 0
    const model = MockLM({
      respond: () => {
        asked++
        return call(4)
      },
    })
    const task = Task(ChatAgent({ name: 'math', model, tools: [Square], toolFormat: 'text' }))
    await expect(task.run('4 squared?')).rejects.toThrow(/repeats itself/)
    expect(asked).toBe(25)
  })

  test('with the exception of its handler', async () => {
    const Boom = ToolMessage({
      request: 'boom',
      purpose: 'To fail.',
      fields: z.object({}),
      handle: () => {
        throw new Error('kaputt')
      },
    })
    const { run } = trace(['{"request": "boom"}'], {}, { tools: [Boom] })
    await expect(run()).rejects.toThrow('kaputt')
  })
})

describe('a task with sub-tasks', () => {
  test('hands the pending message to the first one that answers', async () => {
    const helper = Task(ChatAgent({ name: 'helper', model: MockLM({ fallback: 'six' }) }), {
      singleRound: true,
    })
    const { task, run } = trace(['ask: what is 2*3?', 'DONE six'])
    task.addSubTask(helper)
    expect(await run()).toEqual({ steps: ['LLM', 'helper', 'LLM'], result: 'six', status: 'DONE' })
  })

  test('lets a sub-task handle a tool that its own agent does not', async () => {
    const helper = Task(ChatAgent({ name: 'helper', model: MockLM(), tools: [Square], toolFormat: 'text' }), {
      doneIfResponse: ['Agent'],
    })
    const main = ChatAgent({
      name: 'main',
      model: script({ toolCalls: [{ name: 'square', args: { number: 5 }, id: 'c1' }] }, 'DONE 25'),
    })
    main.enableMessage(Square, { handle: false })
    const task = Task(main, { subTasks: [helper] })
    const result = await task.run('5 squared?')
    expect(result?.content).toBe('25')
    expect(main.messageHistory.map((m) => [m.role, m.content, m.tool_call_id])).toEqual([
      ['user', '5 squared?', undefined],
      ['assistant', null, undefined],
      ['tool', '25', 'c1'],
      ['assistant', 'DONE 25', undefined],
    ])
  })

  test('is cloned with its sub-tasks and shares no history with the copy', async () => {
    const helper = Task(ChatAgent({ name: 'helper', model: MockLM() }))
    const task = Task(ChatAgent({ name: 'main', model: MockLM() }), { subTasks: [helper], singleRound: true })
    const copy = task.clone()
    await copy.run('hi')
    copy.agent.enableMessage(Square)
    expect(copy.subTasks.map((sub) => sub.name)).toEqual(['helper'])
    expect(task.agent.messageHistory).toEqual([])
    expect(task.agent.toolsKnown.has('square')).toBe(false)
  })
})

describe('orchestration tools', () => {
  test.each([
    ['done_tool', { content: 'that is all' }, ['that is all', []]],
    ['result_tool', { city: 'Paris' }, ['', [{ name: 'result_tool', args: { city: 'Paris' } }]]],
    ['final_result_tool', { city: 'Paris' }, ['', [{ name: 'final_result_tool', args: { city: 'Paris' } }]]],
  ])('%s ends the task with its content, or as a tool', async (name, args, expected) => {
    const agent = ChatAgent({ name: 'a', model: script({ toolCalls: [{ name, args }] }) })
    agent.enableMessage(Object.values(orchestration))
    const result = await Task(agent).run('go')
    const tools = result?.toolMessages.map((use) => ({ name: use.name, args: use.args }))
    expect([result?.content, tools]).toEqual(expected)
  })

  test('send_tool addresses one responder and skips the others', async () => {
    const one = Task(ChatAgent({ name: 'one', model: MockLM({ fallback: 'from one' }) }), {
      singleRound: true,
    })
    const two = Task(ChatAgent({ name: 'two', model: MockLM({ fallback: 'DONE from two' }) }), {
      singleRound: true,
    })
    const agent = ChatAgent({
      name: 'main',
      model: script({ toolCalls: [{ name: 'send_tool', args: { to: 'two', content: 'hi' } }] }, 'DONE'),
    })
    agent.enableMessage(orchestration.SendTool)
    const steps: string[] = []
    const task = Task(agent, { subTasks: [one, two] })
    await task.run('go', {
      onStep: (s) => void (s.type === 'answer' && s.task === 'main' && steps.push(s.responder)),
    })
    expect(steps).toEqual(['LLM', 'Agent', 'two', 'LLM'])
  })
})
