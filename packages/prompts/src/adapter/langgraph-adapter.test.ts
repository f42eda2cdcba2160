import { expect, test } from 'vitest'
import { z } from 'zod'
import { ScriptedModel } from '../fixtures/scripted-model.ts'
import { createSession, definePrompt, LangGraphAdapter, ok, section, tool } from '../index.ts'

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  params: z.object({ a: z.number(), b: z.number().default(2) }),
  handler: ({ a, b }) => ok({ sum: a + b }, 'added'),
})
const prompt = definePrompt({
  ns: 'test',
  key: 'sum',
  sections: [
    section({
      key: 'task',
      title: 'Task',
      template: 'Add {{x}}.',
      params: z.object({ x: z.string() }),
      tools: [add],
    }),
  ],
})

test('smoke', async () => {
  const model = new ScriptedModel([
    { calls: [{ name: 'add', args: { a: 2 } }], usage: [10, 5] },
    { text: 'It is 4.', usage: [20, 5] },
  ])
  const session = createSession()
  const seen: string[] = []
  session.bus.on('*', (event) => void seen.push(event.type))
  const response = await new LangGraphAdapter({ model }).evaluate(prompt.bind({ x: 'two and two' }), {
    session,
  })
  expect(response).toMatchObject({
    status: 'completed',
    text: 'It is 4.',
    output: undefined,
    steps: 2,
    usage: { totalTokens: 40 },
  })
  expect(model.seen[1]?.messages.map((m) => [m.getType(), m.text])).toEqual([
    ['system', '## 1. Task (task)\n\nAdd two and two.'],
    ['human', 'Carry out the task that your instructions describe.'],
    ['ai', ''],
    ['tool', 'added\n\n{"sum":4}'],
  ])
  expect(seen).toEqual(['PromptRendered', 'ModelCalled', 'ToolInvoked', 'ModelCalled', 'PromptExecuted'])
})
