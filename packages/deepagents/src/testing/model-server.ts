import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'

/** What a model was asked, in the shape that scripts want to decide on. */
export interface Asked {
  readonly system: string
  /** The newest message of the user; for a sub-agent its task. */
  readonly user: string
  /** Answers of tools since that message, oldest first. */
  readonly results: readonly string[]
  /** How many times the model has spoken since that message. */
  readonly turn: number
  readonly request: ChatCompletionRequest
}

export interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
  readonly id?: string
  /** Instead of `args`: what the model says literally, JSON or not. */
  readonly raw?: string
}

export type Reply = string | readonly Call[] | { readonly failure: string; readonly status: number }
export type Script = (asked: Asked) => Reply | Promise<Reply>

/** A model over HTTP whose answers are a function of what it is asked, and real clients that talk to it. */
export async function startModelServer(script: Script) {
  const server = new LLMock({ port: 0, chunkSize: 12 })
  let calls = 0
  server.on({ predicate: () => true }, async (request): Promise<FixtureResponse> => {
    const reply = await script(readRequest(request))
    if (typeof reply === 'string') return { content: reply }
    if ('failure' in reply) return { error: { message: reply.failure }, status: reply.status }
    return {
      toolCalls: reply.map(({ name, args, id, raw }) => {
        calls += 1
        return { name, arguments: raw ?? JSON.stringify(args), id: id ?? `call_${calls}` }
      }),
    }
  })
  await server.start()
  return {
    url: server.url,
    requests: () => server.getRequests(),
    openai: (settings: Record<string, unknown> = {}) =>
      new ChatOpenAI({
        model: 'test-model',
        apiKey: 'test',
        configuration: { baseURL: `${server.url}/v1` },
        maxRetries: 0,
        ...settings,
      }),
    ollama: () => new ChatOllama({ model: 'test-model', baseUrl: server.url }),
    stop: () => server.stop(),
  }
}

function readRequest(request: ChatCompletionRequest): Asked {
  const { messages } = request
  const since = messages.slice(messages.findLastIndex((message) => message.role === 'user'))
  return {
    system: messages
      .filter((message) => message.role === 'system')
      .map((message) => textOf(message.content))
      .join('\n'),
    user: textOf(since[0]?.content ?? ''),
    results: since.filter((message) => message.role === 'tool').map((message) => textOf(message.content)),
    turn: since.filter((message) => message.role === 'assistant').length,
    request,
  }
}

function textOf(content: ChatCompletionRequest['messages'][number]['content']): string {
  if (content === null || typeof content === 'string') return content ?? ''
  return content.map((part) => part.text ?? '').join('')
}
