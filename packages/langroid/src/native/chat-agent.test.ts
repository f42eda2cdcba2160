import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ChatAgent } from './chat-agent.ts'
import { chatDocument } from './chat-document.ts'
import type { ModelRequest } from './language-model.ts'
import { MockLM, type MockResponse } from './mock-lm.ts'
import { orchestration } from './orchestration.ts'
import { ToolMessage } from './tool-message.ts'

const Square = ToolMessage({
  request: 'square',
  purpose: 'To square a <number>.',
  fields: z.object({ number: z.number() }),
  instructions: 'Never guess.',
  examples: [{ number: 2 }, ['I need the square of 3', { number: 3 }]],
  handle: ({ number }) => String(number * number),
})
const Secret = ToolMessage({
  request: 'secret',
  purpose: 'For the server only.',
  fields: z.object({}),
  handle: () => 'done',
})

function talker(answer: MockResponse, config: { toolFormat?: 'api' | 'text' } = {}) {
  const requests: ModelRequest[] = []
  const model = MockLM({
    respond: (_text, request) => {
      requests.push({ ...request, messages: [...request.messages] })
      return answer
    },
  })
  return { requests, agent: ChatAgent({ name: 'a', model, tools: [Square], ...config }) }
}

describe('a chat agent', () => {
  test('tells an API model its tools, and a text model how to write them', async () => {
    const api = talker('ok')
    await api.agent.llmResponse('hi')
    expect(api.requests[0]?.tools).toEqual([
      {
        name: 'square',
        description: 'To square a <number>.',
        parameters: { type: 'object', properties: { number: { type: 'number' } }, required: ['number'] },
      },
    ])
    const text = talker('ok', { toolFormat: 'text' })
    await text.agent.llmResponse('hi')
    expect(text.requests[0]?.tools).toEqual([])
    const system = text.requests[0]?.messages[0]?.content
    for (const part of [
      '=== GUIDELINES ON SOME TOOLS/FUNCTIONS USAGE ===\nTOOL: square:\nGUIDANCE: Never guess.',
      '=== ALL AVAILABLE TOOLS and THEIR FORMAT INSTRUCTIONS ===',
      'TOOL: square\nPURPOSE: To square a <number>.\nJSON FORMAT: {"type":"object","properties":{"request":{"type":"string","enum":["square"]}',
      'EXAMPLE 2: (THOUGHT: I need the square of 3) =>\n{"request":"square","number":3}',
    ])
      expect(system).toContain(part)
  })

  test('answers its tools: one as it is, several by id or by name', async () => {
    const one = talker({ toolCalls: [{ name: 'square', args: { number: 4 }, id: 'c1' }] })
    const asked = await one.agent.llmResponse('4?')
    expect(await one.agent.agentResponse(asked!)).toMatchObject({
      content: '16',
      results: [{ id: 'c1', content: '16' }],
    })
    const two = talker('{"request": "square", "number": 2} {"request": "square", "number": 3}', {
      toolFormat: 'text',
    })
    const both = await two.agent.llmResponse('2, 3?')
    expect(await two.agent.agentResponse(both!)).toMatchObject({
      content: 'Result from square: 4\n\nResult from square: 9',
    })
  })

  test('keeps using and handling apart', async () => {
    const { agent, requests } = talker('ok')
    agent.enableMessage(Secret, { use: false })
    await agent.llmResponse('hi')
    expect(requests[0]?.tools.map((tool) => tool.name)).toEqual(['square'])
    expect([agent.toolsUsable.has('secret'), agent.toolsHandled.has('secret')]).toEqual([false, true])
    const Bare = ToolMessage({ request: 'bare', purpose: '', fields: z.object({}) })
    expect(() => agent.enableMessage(Bare, { handle: true })).toThrow(/has no handler/)
  })

  test('does not let a user write a tool that only the server may trigger', async () => {
    const { agent } = talker('ok')
    agent.enableMessage(Secret, { use: false })
    const use = { id: 'x', name: 'secret', args: {}, via: 'text' as const, tool: Secret }
    const typed = chatDocument({ sender: 'User', tainted: true, tools: [use] })
    expect(await agent.agentResponse(typed)).toBeNull()
    expect(await agent.agentResponse({ ...typed, tainted: false })).toMatchObject({ content: 'done' })
  })

  test('refuses an orchestration tool next to another', async () => {
    const { agent } = talker({
      toolCalls: [
        { name: 'square', args: { number: 1 } },
        { name: 'done_tool', args: {} },
      ],
    })
    agent.enableMessage(orchestration.DoneTool)
    const asked = await agent.llmResponse('go')
    expect((await agent.agentResponse(asked!))?.results.map((result) => result.content)).toEqual([
      'ERROR: Use ONE tool at a time!',
      'ERROR: Use ONE tool at a time!',
    ])
  })

  test('forgets a question that the model did not answer', async () => {
    const { agent } = talker({ text: 'half', error: new Error('gone') })
    await expect(agent.llmResponse('hi')).rejects.toThrow('gone')
    expect(agent.messageHistory).toEqual([])
  })

  test('has nothing to say to nothing', async () => {
    const { agent } = talker('ok')
    expect(await agent.llmResponse('')).toBeNull()
    expect(await agent.llmResponse(null)).toBeNull()
  })

  test('is cloned without sharing what changes', async () => {
    const { agent } = talker('ok')
    const copy = agent.clone()
    copy.enableMessage(Secret)
    copy.systemMessage = 'other'
    await copy.llmResponse('hi')
    expect([agent.toolsKnown.has('secret'), agent.systemMessage, agent.messageHistory.length]).toEqual([
      false,
      'You are a helpful assistant.',
      0,
    ])
  })
})
