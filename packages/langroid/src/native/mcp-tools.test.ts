import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ChatAgent } from './chat-agent.ts'
import { mcpTools } from './mcp-tools.ts'
import { MockLM } from './mock-lm.ts'
import { Task } from './task.ts'

test('tools of an MCP server are tools of an agent; what they refuse is an answer to the model', async () => {
  const server = new McpServer({ name: 'test', version: '1' })
  const inputSchema = { city: z.string() }
  server.registerTool('weather', { description: 'Tells the weather.', inputSchema }, ({ city }) => ({
    content: [{ type: 'text', text: `Sunny in ${city}.` }],
  }))
  server.registerTool('hidden', { description: 'Not offered.' }, () => ({ content: [] }))
  const client = new Client({ name: 'test', version: '1' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])

  const tools = await mcpTools(client, { include: (name) => name !== 'hidden' })
  expect(tools.map(({ request, purpose }) => [request, purpose])).toEqual([['weather', 'Tells the weather.']])
  const calls = [{ city: 'Rome' }, { city: 7 }]
  const model = MockLM({
    respond: (_text, { messages }) => {
      const args = calls[messages.filter((message) => message.role === 'assistant').length]
      return args === undefined ? 'DONE' : { toolCalls: [{ name: 'weather', args }] }
    },
  })
  const agent = ChatAgent({ name: 'a', model, tools })
  await Task(agent).run('go')
  const results = agent.messageHistory.filter((message) => message.role === 'tool')
  expect(results.map((message) => message.content)).toEqual([
    'Sunny in Rome.',
    expect.stringMatching(/^ERROR: .*Input validation error/s),
  ])
  await client.close()
})
