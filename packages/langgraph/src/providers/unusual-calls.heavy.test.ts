import { InMemoryCache } from '@langchain/core/caches'
import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { ChatPromptTemplate } from '@langchain/core/prompts'
import { tool } from '@langchain/core/tools'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import {
  type AgentMiddleware,
  anthropicPromptCachingMiddleware,
  createAgent,
  createMiddleware,
  initChatModel,
  modelFallbackMiddleware,
  modelRetryMiddleware,
  providerStrategy,
} from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fromGraph } from '../index.ts'
import { recordRun } from '../testing/index.ts'
import { type Dialect, spokenBy, type Wire } from './dialects.ts'
import { askedIn, expectTruth } from './expect-truth.ts'
import { type Script, startProvider } from './provider-server.ts'

type Graph = Parameters<typeof fromGraph>[0]
type Model = ReturnType<ReturnType<typeof spokenBy>['client']>

const search = tool(({ q }) => `found ${q}`, {
  name: 'search',
  description: 'Looks something up.',
  schema: z.object({ q: z.string() }),
})
const text: Script = () => ({ content: 'Yes.' })
const searchThenText: Script = ({ messages }) =>
  messages.at(-1)?.role === 'tool'
    ? { content: 'There.' }
    : { toolCalls: [{ name: 'search', arguments: '{"q":"tea"}', id: 'call_1' }] }
const failing = (times: number, then: Script): Script => {
  let failed = 0
  return (request) =>
    ++failed <= times ? { error: { message: 'busy', type: 'server_error' }, status: 500 } : then(request)
}

const plain = (ask: (messages: BaseMessage[]) => Promise<unknown>): Graph =>
  new StateGraph(MessagesAnnotation)
    .addNode('ask', async ({ messages }) => {
      await ask(messages)
      return {}
    })
    .addEdge(START, 'ask')
    .compile({ name: 'plain' })

interface Story {
  readonly dialect?: Dialect
  readonly script: Script
  readonly settings?: object
  readonly recorded: number
  /** Where it differs: a cached answer is a call that reaches no provider. */
  readonly received?: number
  readonly graph: (model: Model, wire: Wire) => Graph | Promise<Graph>
}

/** Changes blocks in place, as middleware that marks them for a cache does. */
const marking = createMiddleware({
  name: 'Marking',
  wrapModelCall: (request, handler) => {
    for (const message of request.messages)
      if (Array.isArray(message.content))
        for (const block of message.content)
          Reflect.set(block, 'text', `${String(Reflect.get(block, 'text'))}!`)
    return handler(request)
  },
})

const thinking = (model: Model) =>
  tool(
    async ({ q }) => {
      const said = await model.invoke([new SystemMessage('Think.'), new HumanMessage(q)])
      return said.text
    },
    { name: 'think', description: 'Thinks.', schema: z.object({ q: z.string() }) },
  )

// Their types do not fit createAgent's with exactOptionalPropertyTypes (langchain 1.5.14).
const retrying: AgentMiddleware = Reflect.apply(modelRetryMiddleware, undefined, [
  { maxRetries: 3, initialDelayMs: 1, jitter: false },
])
const caching: AgentMiddleware = Reflect.apply(anthropicPromptCachingMiddleware, undefined, [
  { ttl: '5m', minMessagesToCache: 1 },
])

const stories: Readonly<Record<string, Story>> = {
  'a middleware changes a block of a message in place': {
    script: searchThenText,
    recorded: 2,
    graph: (model) =>
      createAgent({
        model,
        tools: [search],
        middleware: [
          createMiddleware({
            name: 'Opening',
            beforeAgent: () => ({
              messages: [new HumanMessage({ content: [{ type: 'text', text: 'look' }] })],
            }),
          }),
          marking,
        ],
      }),
  },
  'a node changes the arguments of a call in place': {
    script: searchThenText,
    recorded: 3,
    graph: (model) =>
      plain(async (messages) => {
        const bound = model.bindTools?.([search])
        const answer = await bound?.invoke(messages)
        if (answer === undefined) throw new Error('This model has no tools.')
        const result = { role: 'tool', content: 'found', tool_call_id: 'call_1' }
        const history = [...messages, answer, result]
        await bound?.invoke(history)
        const [asked] = answer.tool_calls ?? []
        if (asked !== undefined) asked.args['q'] = 'coffee'
        await bound?.invoke(history)
      }),
  },
  'a middleware tries again': {
    script: failing(2, searchThenText),
    recorded: 4,
    graph: (model) =>
      createAgent({
        model,
        tools: [search],
        middleware: [retrying],
      }),
  },
  'withRetry tries again': {
    script: failing(1, text),
    recorded: 2,
    graph: (model) => plain((messages) => model.withRetry({ stopAfterAttempt: 2 }).invoke(messages)),
  },
  'a middleware falls back to another model': {
    script: failing(1, text),
    recorded: 2,
    graph: (model, wire) =>
      createAgent({
        model,
        tools: [search],
        middleware: [
          modelFallbackMiddleware(spokenBy('openai').client(wire, { model: 'gpt-4.1', temperature: 0.9 })),
        ],
      }),
  },
  'withFallbacks falls back to another model': {
    script: failing(1, text),
    recorded: 2,
    graph: (model, wire) =>
      plain((messages) =>
        model.withFallbacks([spokenBy('openai').client(wire, { model: 'gpt-4.1' })]).invoke(messages),
      ),
  },
  'a batch': {
    script: text,
    recorded: 3,
    graph: (model) =>
      plain(() => model.batch([['a'], ['b'], ['c']].map(([q = '']) => [new HumanMessage(q)]))),
  },
  'generate with two prompts': {
    script: text,
    settings: { disableStreaming: true },
    recorded: 2,
    graph: (model) => plain(() => model.generate([[new HumanMessage('a')], [new HumanMessage('b')]])),
  },
  'bindTools with settings': {
    script: searchThenText,
    recorded: 1,
    graph: (model) =>
      plain(async (messages) =>
        model
          .bindTools?.(
            [search],
            Object.assign({ tool_choice: 'search' }, { parallel_tool_calls: false, strict: true }),
          )
          .invoke(messages),
      ),
  },
  'structured output without streaming': {
    script: () => ({ content: '{"sum":4}' }),
    settings: { disableStreaming: true },
    recorded: 1,
    graph: (model) =>
      plain((messages) => model.withStructuredOutput(z.object({ sum: z.number() })).invoke(messages)),
  },
  'an answer in the format of the provider, beside tools and without streaming': {
    script: () => ({ content: '{"sum":4}' }),
    settings: { disableStreaming: true },
    recorded: 1,
    graph: (model) =>
      createAgent({
        model,
        tools: [search],
        responseFormat: providerStrategy(z.object({ sum: z.number() })),
      }),
  },
  'a prompt template in a sequence': {
    script: text,
    recorded: 1,
    graph: (model) =>
      plain(() =>
        ChatPromptTemplate.fromMessages([
          ['system', 'You know {what}.'],
          ['human', '{q}'],
        ])
          .pipe(model)
          .invoke({ what: 'tea', q: 'where?' }),
      ),
  },
  'a model by name': {
    script: searchThenText,
    recorded: 2,
    graph: async (_model, { url }) =>
      createAgent({
        model: await initChatModel('openai:gpt-4o', {
          apiKey: 'none',
          temperature: 0.1,
          configuration: { baseURL: `${url}/v1` },
        }),
        tools: [search],
      }),
  },
  'a model by name that is chosen at run time': {
    script: text,
    recorded: 1,
    graph: async (_model, { url }) => {
      const model = await initChatModel('gpt-4o', {
        apiKey: 'none',
        configurableFields: 'any',
        configuration: { baseURL: `${url}/v1` },
      })
      return plain((messages) =>
        model.invoke(messages, { configurable: { model: 'gpt-4.1', modelProvider: 'openai' } }),
      )
    },
  },
  'a model without streaming': {
    script: searchThenText,
    settings: { disableStreaming: true },
    recorded: 2,
    graph: (model) => createAgent({ model, tools: [search] }),
  },
  'a model with a cache': {
    script: text,
    settings: { cache: new InMemoryCache() },
    recorded: 2,
    received: 1,
    graph: (model) =>
      plain(async (messages) => {
        await model.invoke(messages)
        await model.invoke(messages)
      }),
  },
  'a model inside a tool': {
    script: ({ messages, tools }) =>
      tools === undefined || messages.at(-1)?.role === 'tool'
        ? { content: 'There.' }
        : { toolCalls: [{ name: 'think', arguments: '{"q":"tea"}', id: 'call_1' }] },
    recorded: 3,
    graph: (model) =>
      createAgent({
        model,
        tools: [thinking(model)],
      }),
  },
  'a system message made anew by a middleware': {
    script: searchThenText,
    recorded: 2,
    graph: (model) => {
      let turn = 0
      return createAgent({
        model,
        tools: [search],
        systemPrompt: 'Be brief.',
        middleware: [
          createMiddleware({
            name: 'Clock',
            wrapModelCall: (request, handler) =>
              handler({ ...request, systemMessage: request.systemMessage.concat(` Turn ${++turn}.`) }),
          }),
        ],
      })
    },
  },
  'prompt caching of Anthropic': {
    dialect: 'anthropic',
    script: searchThenText,
    recorded: 2,
    graph: (model) =>
      createAgent({
        model,
        tools: [search],
        systemPrompt: 'Be brief.',
        middleware: [caching],
      }),
  },
  'thinking of Anthropic': {
    dialect: 'anthropic',
    script: text,
    settings: { thinking: { type: 'enabled', budget_tokens: 2000 }, maxTokens: 4000 },
    recorded: 1,
    graph: (model) => createAgent({ model, tools: [search] }),
  },
  'options of Ollama': {
    dialect: 'ollama',
    script: text,
    settings: { numCtx: 2048, topP: 0.5, keepAlive: '1m', think: false, temperature: 0.2, numPredict: 50 },
    recorded: 1,
    graph: (model) => createAgent({ model, tools: [search] }),
  },
  'parameters of OpenAI that are not LangChain’s': {
    script: text,
    settings: {
      modelKwargs: { metadata: { a: null }, prediction: null },
      topP: 0.2,
      maxTokens: 9,
      user: 'ada',
    },
    recorded: 1,
    graph: (model) => createAgent({ model, tools: [] }),
  },
}

test.each(Object.entries(stories))(
  'the record is what the provider received: %s',
  async (_name, { dialect = 'openai', script, settings, recorded, received = recorded, graph }) => {
    await using provider = await startProvider(script)
    const source = fromGraph(await graph(spokenBy(dialect).client(provider, settings), provider))
    const input = { messages: [{ role: 'user', content: 'where is the tea?' }] }
    const { envelopes, outcome } = await recordRun(source, { kind: 'input', input })
    expect(outcome).toEqual({ status: 'success' })
    expect(askedIn(envelopes)).toHaveLength(recorded)
    expect(provider.received).toHaveLength(received)
    const repeated = recorded === received ? envelopes : envelopes.slice(0, envelopes.findLastIndex(isAsked))
    await expectTruth(dialect, repeated, provider.received)
  },
)

const isAsked = ({ type }: { readonly type: string }): boolean => type === 'llm_start'
