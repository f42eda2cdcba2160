import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ChatAgent } from './chat-agent.ts'
import type { ModelRequest } from './language-model.ts'
import { MockLM, type MockResponse } from './mock-lm.ts'
import { OpenAIModel } from './openai-model.ts'
import { orchestration } from './orchestration.ts'
import { Task } from './task.ts'
import { ToolMessage } from './tool-message.ts'

const City = z.object({ city: z.string(), people: z.number().optional() })

function script(...answers: readonly MockResponse[]) {
  const requests: ModelRequest[] = []
  const model = MockLM({
    respond: (_text, request) => {
      requests.push(request)
      return answers[requests.length - 1] ?? 'nothing'
    },
  })
  return { requests, model }
}

describe('structured output', () => {
  test.each([
    ['JSON in its words', 'Here: {"city": "Paris"}. DONE'],
    ['the fields of a result', { toolCalls: [{ name: 'result_tool', args: { city: 'Paris' } }] }],
  ] as const)('is read from %s', async (_name, answer) => {
    const { model } = script(answer)
    const task = Task(ChatAgent({ name: 'a', model, tools: [orchestration.ResultTool] }))
    expect(await task.runFor(City, 'go')).toEqual({ city: 'Paris' })
  })

  test('is asked for once more, with the schema, when an answer does not fit', async () => {
    const { model, requests } = script('DONE Paris', '{"city": "Paris", "people": 2}')
    const task = Task(ChatAgent({ name: 'a', model }))
    expect(await task.runFor(City, 'go')).toEqual({ city: 'Paris', people: 2 })
    expect(requests.map((request) => request.output?.name)).toEqual([undefined, 'result'])
    expect(await Task(ChatAgent({ name: 'a', model })).runFor(City, 'go')).toBeNull()
  })

  test('of an agent goes with every request', async () => {
    const { model, requests } = script('{"city": "Paris"}')
    await ChatAgent({ name: 'a', model, output: City }).llmResponse('go')
    expect(requests[0]?.output?.schema).toMatchObject({ properties: { city: { type: 'string' } } })
  })

  test('and strict tools reach an OpenAI-compatible model closed, with null for what is optional', async () => {
    const bodies: unknown[] = []
    const model = OpenAIModel({
      model: 'm',
      retries: 0,
      fetch: async (_url, init) => {
        bodies.push(JSON.parse(z.string().parse(init?.body)))
        return new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
      },
    })
    const Find = ToolMessage({ request: 'find', purpose: 'To find.', fields: City, strict: true })
    await ChatAgent({ name: 'a', model, output: City, tools: [Find] })
      .llmResponse('go')
      .catch(() => {})
    const strict = {
      type: 'object',
      properties: { city: { type: 'string' }, people: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
      required: ['city', 'people'],
      additionalProperties: false,
    }
    expect(bodies[0]).toMatchObject({
      tools: [{ function: { name: 'find', strict: true, parameters: strict } }],
      response_format: { type: 'json_schema', json_schema: { name: 'output', strict: true, schema: strict } },
    })
    expect(Find.parse({ city: 'Paris', people: null }).ok).toBe(true)
  })
})
