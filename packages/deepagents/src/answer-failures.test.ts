import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createMiddleware } from 'langchain'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createDeepAgent } from './create-deep-agent.ts'
import type { Call } from './testing/model-server.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
const broken = tool(
  () => {
    throw new Error('The disk is full.')
  },
  { name: 'broken', description: 'Fails', schema: z.object({}) },
)
const wrapping = createMiddleware({ name: 'Wrapping', wrapToolCall: (request, handler) => handler(request) })

it.each<[string, Call, string]>([
  ['a tool that throws', { name: 'broken', args: {} }, 'broken failed: The disk is full.'],
  [
    'wrong arguments',
    { name: 'read_file', args: { file_path: 3, offset: -1 } },
    'The arguments of read_file do not fit:\n✖ Invalid input: expected string, received number\n  → at file_path\n✖ Too small: expected number to be >=0\n  → at offset',
  ],
])('answers the model about %s, also below a middleware that wraps tools', async (_title, call, text) => {
  for (const middleware of [[], [wrapping]]) {
    const server = await serve(({ turn }) => (turn === 0 ? [call] : 'done'))
    const agent = createDeepAgent({ instructions: 'x', model: server.openai(), tools: [broken], middleware })
    const { messages } = await agent.invoke({ messages: [new HumanMessage('go')] })
    const answer = messages.find((message) => ToolMessage.isInstance(message))
    expect(answer).toMatchObject({ status: 'error', name: call.name })
    expect(answer?.text).toBe(text)
    expect(messages.at(-1)?.text).toBe('done')
  }
})
