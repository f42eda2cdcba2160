import { createServer, type ServerResponse } from 'node:http'
import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  createSession,
  definePrompt,
  LangGraphAdapter,
  ok,
  section,
  tool,
  type LangGraphAdapterOptions,
  type PromptEvent,
} from '../index.ts'

const calculator = tool({
  name: 'calculator',
  description: 'Adds two numbers.',
  params: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => ok({ sum: a + b }),
})
const sections = [
  section({
    key: 'task',
    title: 'Task',
    template: 'Calculate 2 + 2 using the calculator tool.',
    tools: [calculator],
  }),
] as const
const prompt = definePrompt({ ns: 'test', key: 'http', sections }).bind()
const typed = definePrompt({
  ns: 'test',
  key: 'typed',
  sections,
  output: z.object({ sum: z.number() }),
}).bind()

type Answer = FixtureResponse | ((request: ChatCompletionRequest) => FixtureResponse)

/** A provider on loopback that gives these answers in turn, the last one again and again, and real clients for it. */
async function modelServer(answers: readonly Answer[]) {
  const server = new LLMock({ port: 0 })
  const requests: ChatCompletionRequest[] = []
  server.on({ predicate: () => true }, (request) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] ?? { content: '' }
    requests.push(request)
    return typeof answer === 'function' ? answer(request) : answer
  })
  await server.start()
  return {
    url: server.url,
    requests,
    openai: () =>
      new ChatOpenAI({
        model: 'test',
        apiKey: 'none',
        maxRetries: 0,
        configuration: { baseURL: `${server.url}/v1` },
      }),
    ollama: () => new ChatOllama({ model: 'test', baseUrl: server.url, maxRetries: 0 }),
    [Symbol.asyncDispose]: () => server.stop(),
  }
}

const call = (name: string, args: object): FixtureResponse => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
})

const clients = [
  ['openai', (server: Awaited<ReturnType<typeof modelServer>>) => server.openai()],
  ['ollama', (server: Awaited<ReturnType<typeof modelServer>>) => server.ollama()],
] as const

describe.each(clients)('the client of %s', (name, client) => {
  test('evaluates with tools', async () => {
    await using server = await modelServer([call('calculator', { a: 2, b: 2 }), { content: 'It is 4.' }])
    const session = createSession()
    const invoked: PromptEvent<'ToolInvoked'>[] = []
    session.bus.on('ToolInvoked', (event) => invoked.push(event))
    const response = await new LangGraphAdapter({ model: client(server) }).evaluate(prompt, { session })
    expect(response).toMatchObject({ status: 'completed', text: 'It is 4.', steps: 2 })
    expect(invoked).toMatchObject([{ params: { a: 2, b: 2 }, rendered: '{"sum":4}' }])
    expect(server.requests[0]?.tools?.[0]?.function).toMatchObject({
      name: 'calculator',
      parameters: { type: 'object', required: ['a', 'b'], additionalProperties: false },
    })
    expect(server.requests[0]?.messages.map((message) => message.role)).toEqual(['system', 'user'])
  })

  test('streams', async () => {
    await using server = await modelServer([{ content: 'It is four, as far as I can tell.' }])
    const stream = new LangGraphAdapter({ model: client(server) }).stream(prompt, {
      session: createSession(),
    })
    let text = ''
    for await (const part of stream) if (part.type === 'text') text += part.delta
    expect(text).toBe('It is four, as far as I can tell.')
  })

  test.each(['provider', 'tool', 'text'] as const)(
    'returns data by the strategy "%s"',
    async (outputStrategy) => {
      const final: Answer =
        outputStrategy === 'tool' ? call('submit_output', { sum: 4 }) : { content: '{"sum":4}' }
      await using server = await modelServer([call('calculator', { a: 2, b: 2 }), final])
      const adapter = new LangGraphAdapter({ model: client(server), outputStrategy })
      await expect(adapter.evaluate(typed, { session: createSession() })).resolves.toMatchObject({
        output: { sum: 4 },
        text: null,
      })
      const request: unknown = server.requests[0]
      if (outputStrategy === 'provider' && name === 'openai')
        expect(request).toMatchObject({
          response_format: { type: 'json_schema', json_schema: { name: 'test_typed_schema' } },
        })
    },
  )

  test('is retried when the provider is busy', async () => {
    await using server = await modelServer([
      { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429 },
      { content: 'Ok.' },
    ])
    const session = createSession()
    const kinds: string[] = []
    session.bus.on('Throttled', ({ kind }) => kinds.push(kind))
    const adapter = new LangGraphAdapter({
      model: client(server),
      throttle: { baseDelayMs: 1, maxDelayMs: 2, maxTotalDelayMs: 5000 },
    })
    await expect(adapter.evaluate(prompt, { session })).resolves.toMatchObject({ text: 'Ok.' })
    expect(kinds).toEqual(['rate_limit'])
  })
})

describe('a model by name', () => {
  const before = process.env['OPENAI_API_KEY']
  beforeEach(() => void (process.env['OPENAI_API_KEY'] = 'none'))
  afterEach(() => {
    if (before === undefined) delete process.env['OPENAI_API_KEY']
    else process.env['OPENAI_API_KEY'] = before
  })

  test('B43: gets its provider and only the settings that are set', async () => {
    await using server = await modelServer([{ content: 'Hi.' }])
    const adapter = new LangGraphAdapter({
      model: 'gpt-4o-mini',
      modelConfig: {
        modelProvider: 'openai',
        temperature: 0.7,
        maxTokens: 50,
        seed: 7,
        parallelToolCalls: false,
        client: { configuration: { baseURL: `${server.url}/v1` } },
      },
    })
    await expect(adapter.evaluate(prompt, { session: createSession() })).resolves.toMatchObject({
      text: 'Hi.',
    })
    const request: unknown = server.requests[0]
    expect(request).toMatchObject({
      model: 'gpt-4o-mini',
      temperature: 0.7,
      seed: 7,
      parallel_tool_calls: false,
    })
    expect(request).not.toHaveProperty('top_p')
  })

  const byName = (url: string, options: LangGraphAdapterOptions = {}) =>
    new LangGraphAdapter({
      model: 'gpt-4o-mini',
      modelConfig: { modelProvider: 'openai', client: { configuration: { baseURL: `${url}/v1` } } },
      throttle: { baseDelayMs: 1, maxDelayMs: 2 },
      ...options,
    })

  test.each([
    ['answers 503', (response: ServerResponse) => void response.writeHead(503).end('{}')],
    ['resets the connection', (response: ServerResponse) => void response.socket?.destroy()],
  ])('P1: is called again when the provider %s', async (_name, fail) => {
    await using server = await modelServer([{ content: 'Here.' }])
    await using flaky = await failingOnce(server.url, fail)
    const session = createSession()
    const kinds: string[] = []
    session.bus.on('Throttled', ({ kind }) => kinds.push(kind))
    const response = byName(flaky.url).evaluate(prompt, { session })
    await expect(response).resolves.toMatchObject({ text: 'Here.', steps: 1 })
    expect(kinds).toEqual(['unavailable'])
  })

  test('P3: by the strategy "provider" gets a schema that is valid in strict mode, and absent fields stay absent', async () => {
    const optional = definePrompt({
      ns: 'test',
      key: 'strict',
      sections,
      output: z.object({ sum: z.number(), note: z.string().optional(), unit: z.string().default('m') }),
    }).bind()
    await using server = await modelServer([{ content: '{"sum":4,"note":null,"unit":null}' }])
    const adapter = new LangGraphAdapter({ model: server.openai(), outputStrategy: 'provider' })
    const response = await adapter.evaluate(optional, { session: createSession() })
    expect(response).toMatchObject({ status: 'completed', output: { sum: 4, unit: 'm' } })
    expect(response.status === 'completed' && Object.keys(response.output)).toEqual(['sum', 'unit'])
    const request: unknown = server.requests[0]
    expect(request).toMatchObject({
      response_format: {
        json_schema: {
          strict: true,
          schema: {
            required: ['sum', 'note', 'unit'],
            properties: { note: { type: ['string', 'null'] }, unit: { type: ['string', 'null'] } },
          },
        },
      },
    })
  })
})

/** In front of `target`: the first request fails in the given way, all others are passed on. */
async function failingOnce(target: string, fail: (response: ServerResponse) => void) {
  let calls = 0
  const server = createServer((request, response) => {
    calls += 1
    if (calls === 1) return fail(response)
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const answer = await fetch(`${target}${request.url}`, {
        method: 'POST',
        body: Buffer.concat(chunks),
        headers: { 'content-type': 'application/json' },
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end(await answer.text())
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
