import { LLMock } from '@copilotkit/aimock'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { LangroidAgent } from '../langroid-agent.ts'
import { bodyOf, recordedBodies } from '../testing/recorded-bodies.ts'
import { background, harness } from '../testing/run-source.ts'
import { ChatAgent, type ChatAgentConfig } from './chat-agent.ts'
import { OpenAIModel } from './openai-model.ts'
import { Task } from './task.ts'
import { ToolMessage } from './tool-message.ts'

const weather = ToolMessage({
  request: 'get_weather',
  purpose: 'To get the weather of a <location>.',
  fields: z.object({ location: z.string() }),
  handle: ({ location }) => ({ location, temperature: 20 }),
})

async function startProvider() {
  const server = new LLMock({ port: 0 })
  const bodies: object[] = []
  server.on({ predicate: () => true }, (request) => {
    bodies.push(bodyOf(request))
    return request.messages.at(-1)?.role === 'user' && bodies.length === 1 && request.tools !== undefined
      ? { toolCalls: [{ name: 'get_weather', arguments: '{"location": "Paris"}', id: 'call_1' }] }
      : { content: 'DONE It is 20 degrees.' }
  })
  await server.start()
  return { url: `${server.url}/v1`, bodies, [Symbol.asyncDispose]: () => server.stop() }
}

const settings: Readonly<Record<string, Partial<ChatAgentConfig>>> = {
  'with tools of the API': {},
  'with tools written as text': { toolFormat: 'text' },
  'with strict tools': { strict: true },
  'with typed answers': { output: z.object({ degrees: z.number() }) },
}

test.each(Object.entries(settings))(
  'the record is what the provider received: an agent %s',
  async (_name, config) => {
    await using provider = await startProvider()
    const params = { temperature: 0.2, tool_choice: 'auto' }
    const model = OpenAIModel({ model: 'gpt-4o', baseUrl: provider.url, params })
    const agent = ChatAgent({ name: 'chat', model, systemMessage: 'Be brief.', tools: [weather], ...config })
    const { run } = harness(LangroidAgent(agent))
    const first = await run({ messages: [{ id: 'u1', role: 'user', content: 'how is Paris?' }] }, [
      background,
    ])
    const second = await run({ messages: [{ id: 'u2', role: 'user', content: 'thanks' }] }, [background])
    expect(recordedBodies([...first, ...second])).toEqual(provider.bodies)
    expect(provider.bodies.length).toBeGreaterThan(1)
  },
)

test('the record is what the provider received: a task with a sub-task', async () => {
  await using provider = await startProvider()
  const model = OpenAIModel({ model: 'gpt-4o', baseUrl: provider.url })
  const agentOf = (name: string) =>
    ChatAgent({ name, model, systemMessage: `You are ${name}.`, tools: [weather] })
  const task = Task(agentOf('Main'), { subTasks: [Task(agentOf('Helper'))] })
  const envelopes = await harness(LangroidAgent(task)).say('how is Paris?')
  expect(recordedBodies(envelopes)).toEqual(provider.bodies)
  expect(provider.bodies.length).toBeGreaterThan(1)
})
