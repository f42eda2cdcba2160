import { LLMock } from '@copilotkit/aimock'
import { messageFrom } from '@clewline/langgraph/record'
import { recordRun } from '@clewline/langgraph/testing'
import { ChatOpenAI, convertMessagesToCompletionsMessageParams } from '@langchain/openai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { definePrompt, LangGraphAdapter, ok, section, tool } from '../index.ts'
import { fromPrompt } from './index.ts'

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  params: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => ok({ sum: a + b }),
})
const prompt = definePrompt({
  ns: 'test',
  key: 'truth',
  name: 'adder',
  sections: [section({ key: 'task', title: 'Task', template: 'Add what you are given.', tools: [add] })],
  output: z.object({ sum: z.number() }),
})

test.each(['provider', 'tool', 'text'] as const)(
  'the record is what the provider received: a prompt with data by the strategy "%s"',
  async (outputStrategy) => {
    const bodies: object[] = []
    const server = new LLMock({ port: 0 })
    server.on({ predicate: () => true }, (request) => {
      // Without what aimock notes beside it.
      bodies.push(Object.fromEntries(Object.entries(request).filter(([name]) => !name.startsWith('_'))))
      if (bodies.length === 1)
        return { toolCalls: [{ name: 'add', arguments: '{"a":2,"b":2}', id: 'call_1' }] }
      return outputStrategy === 'tool'
        ? { toolCalls: [{ name: 'submit_output', arguments: '{"sum":4}', id: 'call_2' }] }
        : { content: '{"sum":4}' }
    })
    await server.start()
    const model = new ChatOpenAI({
      model: 'gpt-4o',
      apiKey: 'none',
      temperature: 0.1,
      maxRetries: 0,
      configuration: { baseURL: `${server.url}/v1` },
    })
    const source = fromPrompt(new LangGraphAdapter({ model, outputStrategy }), prompt)
    const input = { params: {}, messages: [{ role: 'user', content: '2 and 2' }] }
    const { outcome, envelopes } = await recordRun(source, { kind: 'input', input })
    await server.stop()
    expect(outcome).toEqual({ status: 'success' })
    const recorded = envelopes.flatMap((one) => {
      if (one.type !== 'llm_start' || one.payload.input === undefined) return []
      const { provider: _provider, tools: _names, tool_choice: _choice, ...params } = one.payload.params
      const { messages: raw, ...question } = one.payload.input
      const messages = convertMessagesToCompletionsMessageParams({
        messages: raw.map(messageFrom),
        model: 'gpt-4o',
      })
      const transport = { stream: true, stream_options: { include_usage: true } }
      return [{ ...params, ...question, messages, ...transport }]
    })
    expect(recorded).toEqual(bodies)
    expect(bodies).toHaveLength(2)
  },
)
