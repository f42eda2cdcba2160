import type { ChatCompletionRequest, FixtureResponse } from '@copilotkit/aimock'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import {
  type AgentMiddleware,
  createAgent,
  providerStrategy,
  summarizationMiddleware,
  toolStrategy,
} from 'langchain'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fromGraph } from '../index.ts'
import { recordRun } from '../testing/index.ts'
import { type Dialect, spokenBy } from './dialects.ts'
import { askedIn, expectTruth } from './expect-truth.ts'
import { type Script, startProvider } from './provider-server.ts'

type Graph = Parameters<typeof fromGraph>[0]
type Model = ReturnType<ReturnType<typeof spokenBy>['client']>

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const search = tool(({ q }) => `found ${q}`, {
  name: 'search',
  description: 'Looks something up.',
  schema: z.object({ q: z.string().describe('the words'), limit: z.number().int().optional() }),
})
const clock = tool(() => 'noon', { name: 'clock', description: 'The time.', schema: z.object({}) })

const call = (name: string, args: object): FixtureResponse => ({
  toolCalls: [{ name, arguments: JSON.stringify(args), id: `call_${name}` }],
})
const hasResult = ({ messages }: ChatCompletionRequest): boolean => messages.at(-1)?.role === 'tool'
/** Two tools at once, then words. */
const toolsThenText: Script = (request) =>
  hasResult(request)
    ? { content: 'Tea is at noon.' }
    : {
        toolCalls: [
          { name: 'search', arguments: '{"q":"tea"}', id: 'call_1' },
          { name: 'clock', arguments: '{}', id: 'call_2' },
        ],
      }
const text: Script = () => ({ content: 'It is a pixel.' })

interface Story {
  readonly script: Script
  readonly settings?: object
  readonly input?: readonly unknown[]
  /** How many requests there must be: a story that asks nothing proves nothing. */
  readonly calls: number
  /** The dialect that cannot do it. */
  readonly except?: Dialect
  readonly graph: (model: Model) => Graph
}

const one = (
  model: Model,
  ask: (model: Model, messages: typeof MessagesAnnotation.State) => Promise<unknown>,
) =>
  new StateGraph(MessagesAnnotation)
    .addNode('ask', async (state) => {
      await ask(model, state)
      return {}
    })
    .addEdge(START, 'ask')
    .compile({ name: 'plain' })

// Its type does not fit createAgent's with exactOptionalPropertyTypes (langchain 1.5.14).
const summarising = (model: Model): AgentMiddleware =>
  Reflect.apply(summarizationMiddleware, undefined, [
    {
      model,
      trigger: { messages: 8 },
      keep: { messages: 3 },
      summaryPrompt: 'Summarise: {messages}',
    },
  ])

const stories: Readonly<Record<string, Story>> = {
  'an agent with a system prompt, two tools and a history': {
    script: toolsThenText,
    settings: { temperature: 0.3 },
    input: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'when is tea?' },
    ],
    calls: 2,
    graph: (model) =>
      createAgent({ model, tools: [search, clock], systemPrompt: 'Be brief.', name: 'agent' }),
  },
  'a plain node that streams a multimodal question': {
    script: text,
    calls: 1,
    graph: (model) =>
      one(model, async (asked) => {
        const stream = await asked.stream([
          new SystemMessage('You see.'),
          new HumanMessage({
            content: [
              { type: 'text', text: 'what is this?' },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
            ],
          }),
        ])
        for await (const _chunk of stream);
      }),
  },
  'a plain node that invokes with stop words': {
    script: text,
    settings: { temperature: 0 },
    calls: 1,
    graph: (model) => one(model, (asked, { messages }) => asked.invoke(messages, { stop: ['END'] })),
  },
  'standard content blocks': {
    script: text,
    // "Unsupported content type: image" (@langchain/ollama 1.3.0).
    except: 'ollama',
    calls: 1,
    graph: (model) =>
      one(model, (asked) =>
        asked.invoke([
          new HumanMessage({
            contentBlocks: [
              { type: 'text', text: 'what is this?' },
              { type: 'image', mimeType: 'image/png', data: PIXEL },
            ],
          }),
        ]),
      ),
  },
  'a loop over ToolNode with a tool choice': {
    script: toolsThenText,
    calls: 2,
    graph: (model) =>
      new StateGraph(MessagesAnnotation)
        .addNode('ask', async ({ messages }) => ({
          messages: [await bound(model, { tool_choice: 'auto' }).invoke(messages)],
        }))
        .addNode('tools', new ToolNode([search, clock]))
        .addEdge(START, 'ask')
        .addConditionalEdges('ask', toolsCondition)
        .addEdge('tools', 'ask')
        .compile({ name: 'loop' }),
  },
  'a sub-graph': {
    script: toolsThenText,
    calls: 2,
    graph: (model) =>
      new StateGraph(MessagesAnnotation)
        .addNode('inner', createAgent({ model, tools: [search, clock], name: 'inner' }).graph)
        .addEdge(START, 'inner')
        .compile({ name: 'outer' }),
  },
  'three sub-agents at once': {
    script: toolsThenText,
    calls: 6,
    graph: (model) =>
      new StateGraph(MessagesAnnotation)
        .addNode('worker', createAgent({ model, tools: [search, clock], name: 'worker' }).graph)
        .addConditionalEdges(
          START,
          () => ['a', 'b', 'c'].map((name) => new Send('worker', { messages: [new HumanMessage(name)] })),
          ['worker'],
        )
        .compile({ name: 'fan' }),
  },
  'a middleware that summarises': {
    script: (request) =>
      JSON.stringify(request.messages).includes('Summarise')
        ? { content: 'They talked of tea.' }
        : toolsThenText(request),
    input: Array.from({ length: 9 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `turn ${i}`,
    })),
    calls: 3,
    graph: (model) =>
      createAgent({
        model,
        tools: [search, clock],
        middleware: [summarising(model)],
        name: 'agent',
      }),
  },
  'an answer by a tool': {
    script: (request) => call(request.tools?.[0]?.function.name ?? '', { sum: 4 }),
    calls: 1,
    graph: (model) =>
      createAgent({
        model,
        tools: [],
        responseFormat: toolStrategy(z.object({ sum: z.number() })),
        name: 'agent',
      }),
  },
  'an answer in the format of the provider': {
    script: () => ({ content: '{"sum":4}' }),
    calls: 1,
    graph: (model) =>
      createAgent({
        model,
        tools: [search],
        responseFormat: providerStrategy(z.object({ sum: z.number() })),
        name: 'agent',
      }),
  },
  'structured output of a model': {
    // LangChain cannot parse a streamed answer of the Responses API, nor one of Anthropic by a tool (see README.md).
    settings: { disableStreaming: true },
    script: (request) =>
      request.tools?.[0] === undefined
        ? { content: '{"sum":4}' }
        : call(request.tools[0].function.name, { sum: 4 }),
    calls: 1,
    graph: (model) =>
      one(model, (asked, { messages }) =>
        asked
          .withStructuredOutput(z.object({ sum: z.number() }), { name: 'sum', method: 'jsonSchema' })
          .invoke(messages),
      ),
  },
}

const bound = (model: Model, options: object) => {
  if (model.bindTools === undefined) throw new Error('This model has no tools.')
  return model.bindTools([search, clock], options)
}

const dialects: readonly Dialect[] = ['openai', 'responses', 'anthropic', 'ollama']

describe.each(dialects)('the record of %s is what the provider received', (dialect) => {
  const told = Object.entries(stories).filter(([, { except }]) => except !== dialect)
  test.each(told)('in %s', async (_name, { script, settings, input, calls, graph }) => {
    await using provider = await startProvider(script)
    const model = spokenBy(dialect).client(provider, settings)
    const messages = [...(input ?? [{ role: 'user', content: 'when is tea?' }])]
    const { envelopes, outcome } = await recordRun(fromGraph(graph(model)), {
      kind: 'input',
      input: JSON.parse(JSON.stringify({ messages })),
    })
    expect(outcome).toEqual({ status: 'success' })
    expect(provider.journaled()).toBe(provider.received.length)
    await expectTruth(dialect, envelopes, provider.received)
    expect(askedIn(envelopes)).toHaveLength(calls)
  })
})
