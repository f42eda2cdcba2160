import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { createSession, Deadline, definePrompt, LangGraphAdapter, ok, section, tool } from '@clewline/prompts'
import { z } from 'zod'

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  params: z.object({ a: z.number(), b: z.number() }),
  examples: [{ description: 'One and two', input: { a: 1, b: 2 }, output: 3 }],
  handler: ({ a, b }) => ok(a + b),
})

/** The tool comes with the section that explains when to use it. */
export const calculatorPrompt = definePrompt({
  ns: 'examples',
  key: 'calculator',
  name: 'calculator',
  sections: [
    section({
      key: 'task',
      title: 'Task',
      template: 'Calculate {{expression}} with the tool, then say the result in one sentence.',
      params: z.object({ expression: z.string() }),
      tools: [add],
    }),
  ],
})

/** An agent with a tool, a deadline and a budget; what it says is shown while it says it. */
export async function calculator(
  model: string | BaseChatModel,
  expression: string,
  show: (text: string) => void,
): Promise<string> {
  const adapter = new LangGraphAdapter({ model })
  using deadline = Deadline.after(60_000)
  const stream = adapter.stream(calculatorPrompt.bind({ expression }), {
    session: createSession(),
    deadline,
    budget: { maxTotalTokens: 10_000, maxToolCalls: 5 },
  })
  for await (const part of stream) {
    if (part.type === 'text') show(part.delta)
    if (part.type === 'tool-start') show(`[${part.name} ${JSON.stringify(part.params)}]\n`)
  }
  const response = await stream.response
  return response.status === 'completed' ? (response.text ?? '') : ''
}
