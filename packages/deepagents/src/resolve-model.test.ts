import { createServer } from 'node:net'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { initChatModel } from 'langchain'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDeepAgent } from './create-deep-agent.ts'
import { DeepAgentError } from './deep-agent-error.ts'
import { resolveModel } from './resolve-model.ts'
import { useModelServer } from './testing/use-model-server.ts'

const serve = useModelServer()
afterEach(() => {
  vi.unstubAllEnvs()
})

function environment(values: Record<string, string>): void {
  const names = ['DEEPAGENTS_MODEL_PROVIDER', 'OLLAMA_MODEL_NAME', 'OLLAMA_BASE_URL', 'OLLAMA_HOST']
  for (const name of [...names, 'LM_STUDIO_BASE_URL', 'LM_STUDIO_MODEL_NAME', 'LM_STUDIO_API_KEY']) {
    vi.stubEnv(name, values[name] ?? '')
  }
}

/** A run of a small agent: plan, then answer. */
async function run(model?: string) {
  const agent = createDeepAgent({ instructions: 'Work.', ...(model !== undefined && { model }) })
  return agent.invoke({ messages: [new HumanMessage('go')] })
}

const script = ({ turn }: { turn: number }) =>
  turn === 0 ? [{ name: 'write_todos', args: { todos: [{ content: 'x', status: 'completed' }] } }] : 'done'

describe('the model that the environment names', () => {
  it.each<[string, (url: string) => Record<string, string>, string, string]>([
    [
      'Ollama by default',
      (url) => ({ OLLAMA_BASE_URL: url, OLLAMA_MODEL_NAME: 'mine' }),
      '/api/chat',
      'mine',
    ],
    ['Ollama without a name', (url) => ({ OLLAMA_BASE_URL: url }), '/api/chat', 'llama3.1'],
    [
      'Ollama by OLLAMA_HOST',
      (url) => ({ OLLAMA_HOST: url.replace('http://', '') }),
      '/api/chat',
      'llama3.1',
    ],
    ['Ollama by a port alone', (url) => ({ OLLAMA_HOST: `:${new URL(url).port}` }), '/api/chat', 'llama3.1'],
    [
      'LM Studio without a scheme',
      (url) => ({
        DEEPAGENTS_MODEL_PROVIDER: 'lm-studio',
        LM_STUDIO_BASE_URL: url.replace('http://', ''),
        LM_STUDIO_MODEL_NAME: 'qwen',
      }),
      '/v1/chat/completions',
      'qwen',
    ],
    [
      'LM Studio',
      (url) => ({
        DEEPAGENTS_MODEL_PROVIDER: 'lm-studio',
        LM_STUDIO_BASE_URL: `${url}/v1`,
        LM_STUDIO_MODEL_NAME: 'qwen',
        LM_STUDIO_API_KEY: 'secret',
      }),
      '/v1/chat/completions',
      'qwen',
    ],
  ])('is %s', async (_title, env, path, model) => {
    const server = await serve(script)
    environment(env(server.url))
    const state = await run()
    expect(state.messages.at(-1)?.text).toBe('done')
    expect(state.todos).toEqual([{ content: 'x', status: 'completed' }])
    expect(server.requests().map((entry) => entry.path)).toEqual([path, path])
    expect(server.requests()[0]?.body).toMatchObject({ model })
  })

  it('is refused when the provider is unknown', () => {
    environment({ DEEPAGENTS_MODEL_PROVIDER: 'abacus' })
    expect(() => createDeepAgent({ instructions: 'x' })).toThrow(
      'DEEPAGENTS_MODEL_PROVIDER is "abacus". Set it to "ollama" or "lm-studio", or give createDeepAgent a model.',
    )
  })

  it.each(['http://[', 'not a url at all'])('is refused when %j is the address', (address) => {
    environment({ OLLAMA_BASE_URL: address })
    expect(() => createDeepAgent({ instructions: 'x' })).toThrow(
      /is not an address of Ollama. Set OLLAMA_BASE_URL/,
    )
  })
})

describe('a model by name', () => {
  it('is loaded from the package of its provider', async () => {
    const server = await serve(script)
    vi.stubEnv('OPENAI_BASE_URL', `${server.url}/v1`)
    vi.stubEnv('OPENAI_API_KEY', 'test')
    const state = await run('openai:gpt-test')
    expect(state.messages.at(-1)?.text).toBe('done')
    expect(server.requests()[0]?.body).toMatchObject({ model: 'gpt-test' })
  })

  it.each(['gpt-4', 'nobody:x', 'openai:', ':x', ''])('is refused as %j', (name) => {
    expect(() => createDeepAgent({ instructions: 'x', model: name })).toThrow(/Write "provider:model"/)
  })

  it('says which package to install', async () => {
    await expect(run('cohere:command')).rejects.toThrow(
      'The model cohere:command needs a package. Run "npm install @langchain/cohere".',
    )
  })

  it('says in one sentence, and soon, that the provider is unavailable', async () => {
    const port = await freePort()
    environment({
      OLLAMA_BASE_URL: `http://127.0.0.1:${port}`,
      LM_STUDIO_BASE_URL: `http://127.0.0.1:${port}/v1`,
    })
    const started = performance.now()
    for (const name of ['ollama:llama3.1', 'lm-studio:qwen']) {
      const failure = await run(name).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(DeepAgentError)
      expect(failure).toMatchObject({ code: 'model-unavailable', hint: expect.stringMatching(/^Start /) })
      expect(String(failure)).toContain(`The model ${name} cannot be reached. Start `)
      expect(String(failure)).not.toContain('\n')
    }
    expect(performance.now() - started).toBeLessThan(3000)
  })

  it('says what to do about a model that is not there', async () => {
    const server = await serve(() => ({
      failure: 'model "llama9" not found, try pulling it first',
      status: 404,
    }))
    environment({ OLLAMA_BASE_URL: server.url })
    await expect(run('ollama:llama9')).rejects.toThrow(
      /^The model ollama:llama9 does not exist there\. .*"ollama pull llama9"/,
    )
  })

  it('passes on what is not about reaching the model', async () => {
    const server = await serve(() => ({ failure: 'context too long', status: 400 }))
    environment({ LM_STUDIO_BASE_URL: `${server.url}/v1` })
    const failure = await run('lm-studio:x').catch((error: unknown) => error)
    expect(failure).not.toBeInstanceOf(DeepAgentError)
    expect(String(failure)).toContain('context too long')
  })
})

it('has other settings in a sub-agent that asks for them', async () => {
  const server = await serve(({ user, turn }) => {
    if (user !== 'go' || turn > 0) return 'done'
    return [{ name: 'task', args: { description: 'A', subagent_type: 'warm' } }]
  })
  environment({ OLLAMA_BASE_URL: server.url })
  const warm = { name: 'warm', description: '', prompt: 'x', modelSettings: { temperature: 0.9 } }
  const agent = createDeepAgent({ instructions: 'x', model: 'ollama:mine', subagents: [warm] })
  await agent.invoke({ messages: [new HumanMessage('go')] })
  const [first, second] = server.requests().map((entry) => JSON.stringify(entry.body))
  expect(first).not.toContain('0.9')
  expect(second).toContain('"model":"mine"')
  expect(second).toContain('0.9')
})

it('has the settings of a sub-agent also when it comes from initChatModel', async () => {
  const server = await serve(({ user, turn }) => {
    if (user !== 'go' || turn > 0) return 'done'
    return [{ name: 'task', args: { description: 'A', subagent_type: 'warm' } }]
  })
  const model = await initChatModel('openai:mine', {
    apiKey: 'test',
    configuration: { baseURL: `${server.url}/v1` },
  })
  const warm = { name: 'warm', description: '', prompt: 'x', modelSettings: { temperature: 0.9 } }
  const agent = createDeepAgent({ instructions: 'x', model, subagents: [warm] })
  await agent.invoke({ messages: [new HumanMessage('go')] })
  const [first, second] = server.requests().map((entry) => entry.body)
  expect(first).not.toMatchObject({ temperature: 0.9 })
  expect(second).toMatchObject({ model: 'mine', temperature: 0.9 })
})

describe('a model by name', () => {
  it('knows its context size before it is first called, so that a fraction of it can be named', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'test')
    expect(resolveModel('openai:gpt-4o').profile.maxInputTokens).toBe(
      new ChatOpenAI({ model: 'gpt-4o' }).profile.maxInputTokens,
    )
    expect(resolveModel('openai:gpt-4o').profile.maxInputTokens).toBeGreaterThan(100_000)
  })

  it.each(['openai:no-such-model', 'groq:x', 'ollama:llama3.1'])('has an empty profile for %s', (name) => {
    vi.stubEnv('OPENAI_API_KEY', '')
    expect(resolveModel(name).profile).toEqual({})
  })
})

describe('a model instance', () => {
  it('is taken as it is', () => {
    const model = new ChatOpenAI({ model: 'a', apiKey: 'x' })
    expect(resolveModel(model)).toBe(model)
  })

  it('is made again when settings differ', () => {
    const model = new ChatOpenAI({ model: 'a', apiKey: 'x', temperature: 0.1 })
    expect(resolveModel(model, { temperature: 0.7 })).toMatchObject({ model: 'a', temperature: 0.7 })
    expect(model.temperature).toBe(0.1)
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 1
}
