import type { Envelope } from '@clewline/core'
import { tool } from '@langchain/core/tools'
import { createAgent } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fromGraph } from './index.ts'
import { recordRun, scriptedModel } from './testing/index.ts'

const search = tool(() => 'found', {
  name: 'search',
  description: 'looks something up',
  schema: z.object({ q: z.string() }),
})

const startsOf = (envelopes: readonly Envelope[]) =>
  envelopes.flatMap((one) => (one.type === 'llm_start' ? [one.payload] : []))

test('a model call records the messages and the tools that the model was given', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'search', args: { q: 'tea' } }] }, { text: 'there' }])
  const agent = createAgent({ model, tools: [search], systemPrompt: 'Be brief.', name: 'agent' })
  const input = { messages: [{ role: 'user', content: 'where is the tea?' }] }
  const { envelopes } = await recordRun(fromGraph(agent), { kind: 'input', input })
  const [first, second] = startsOf(envelopes)
  expect(first?.input?.messages).toMatchObject([
    { type: 'system', content: expect.anything() },
    { type: 'human', content: 'where is the tea?' },
  ])
  expect(first?.input?.tools).toEqual([
    {
      type: 'function',
      function: {
        name: 'search',
        description: 'looks something up',
        parameters: expect.objectContaining({ properties: { q: { type: 'string' } }, required: ['q'] }),
      },
    },
  ])
  expect(first?.params).toEqual({ provider: 'scripted', tools: ['search'] })
  expect(second?.input?.messages.map(({ type }) => type)).toEqual(['system', 'human', 'ai', 'tool'])
})

test('a message that is sent again is the same object, so that a log looks at it once', async () => {
  const model = scriptedModel([{ toolCalls: [{ name: 'search', args: { q: 'tea' } }] }, { text: 'there' }])
  const agent = createAgent({ model, tools: [search], name: 'agent' })
  const input = { messages: [{ role: 'user', content: 'where is the tea?' }] }
  const { envelopes } = await recordRun(fromGraph(agent), { kind: 'input', input })
  const [first, second] = startsOf(envelopes)
  expect(second?.input?.messages[0]).toBe(first?.input?.messages[0])
})
