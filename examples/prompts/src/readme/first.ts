import { createSession, definePrompt, LangGraphAdapter, section, tool } from '@clewline/prompts'
import { z } from 'zod'

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  params: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => a + b,
})
const sum = definePrompt({
  ns: 'demo',
  key: 'sum',
  sections: [
    section({
      key: 'task',
      title: 'Task',
      template: 'Calculate {{expression}} with the tool.',
      params: z.object({ expression: z.string() }),
      tools: [add],
    }),
  ],
})

const adapter = new LangGraphAdapter({ model: 'openai:gpt-5-mini' })
const response = await adapter.evaluate(sum.bind({ expression: '2 + 2' }), { session: createSession() })
if (response.status === 'completed') console.log(response.text)
