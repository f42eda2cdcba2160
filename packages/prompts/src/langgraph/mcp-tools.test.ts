import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { createSession, definePrompt, LangGraphAdapter, section } from '../index.ts'
import { ScriptedModel } from '../testing/scripted-model.ts'
import { mcpTools } from './mcp-tools.ts'

async function connect() {
  const server = new McpServer({ name: 'test', version: '1' })
  server.registerTool(
    'Get.Weather',
    { description: 'Tells the weather.', inputSchema: { city: z.string() } },
    ({ city }) => ({
      content: [{ type: 'text', text: `Sunny in ${city}.` }],
    }),
  )
  server.registerTool('broken', { description: 'Breaks.' }, () => ({
    isError: true,
    content: [{ type: 'text', text: 'out of order' }],
  }))
  const client = new Client({ name: 'test', version: '1' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(there), client.connect(here)])
  return client
}

test('tools of an MCP server work in a prompt; what they refuse is an answer to the model', async () => {
  const client = await connect()
  const tools = await mcpTools(client, { prefix: 'x_' })
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['x_get_weather', 'Tells the weather.'],
    ['x_broken', 'Breaks.'],
  ])
  const prompt = definePrompt({
    ns: 't',
    key: 'mcp',
    sections: [section({ key: 's', title: 'S', template: 'Go.', tools })],
  }).bind()
  const model = new ScriptedModel([
    {
      calls: [
        { name: 'x_get_weather', id: '1', args: { city: 'Rome' } },
        { name: 'x_get_weather', id: '2', args: { city: 7 } },
        { name: 'x_get_weather', id: '3', args: { city: 'Rome', planet: 'Mars' } },
        { name: 'x_broken', id: '4' },
      ],
    },
    { text: 'Done.' },
  ])
  await new LangGraphAdapter({ model }).evaluate(prompt, { session: createSession() })
  expect(model.seen[1]?.messages.slice(-4).map((each) => each.text)).toEqual([
    'Sunny in Rome.',
    expect.stringContaining('Tool validation failed: city'),
    'Tool validation failed: unknown planet',
    'out of order',
  ])
  await client.close()
})

test('tools may be left out', async () => {
  const client = await connect()
  const tools = await mcpTools(client, { include: (name) => name === 'broken' })
  expect(tools.map(({ name }) => name)).toEqual(['broken'])
  await client.close()
})
