import { isRecord } from '@clewline/core'
import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'

type Fetch = typeof globalThis.fetch

/** Where a client sends its requests, and by what. */
export interface Wire {
  readonly url: string
  readonly fetch?: Fetch
}

interface Spoken {
  /** The fields of a body that hold the conversation. */
  readonly conversation: readonly string[]
  /** What `params` has under a common name only: the provider gets it under another one or as a header, if at all. */
  readonly common: readonly string[]
  /** Where the format of the answer stands in a body. */
  readonly placeFormat: (format: unknown, body: Body) => Body
  readonly client: (wire: Wire, settings?: object) => BaseChatModel
}

type Body = Readonly<Record<string, unknown>>

const inside = (name: string) => (format: unknown, body: Body) => {
  const outer = body[name]
  return { ...body, [name]: { ...(isRecord(outer) && outer), format } }
}

/** The real clients, by the dialect that they speak. */
const dialects = {
  openai: {
    conversation: ['messages'],
    common: [],
    placeFormat: (response_format: unknown, body: Body) => ({ ...body, response_format }),
    client: ({ url, fetch }: Wire, settings: object = {}) =>
      new ChatOpenAI({
        model: 'gpt-4o',
        apiKey: 'none',
        maxRetries: 0,
        configuration: { baseURL: `${url}/v1`, ...(fetch && { fetch }) },
        ...settings,
      }),
  },
  responses: {
    conversation: ['input'],
    common: ['max_tokens', 'stop'],
    placeFormat: inside('text'),
    client: ({ url, fetch }: Wire, settings: object = {}) =>
      new ChatOpenAI({
        model: 'gpt-4o',
        apiKey: 'none',
        maxRetries: 0,
        useResponsesApi: true,
        configuration: { baseURL: `${url}/v1`, ...(fetch && { fetch }) },
        ...settings,
      }),
  },
  anthropic: {
    conversation: ['messages', 'system'],
    common: ['stop', 'betas'],
    placeFormat: inside('output_config'),
    client: ({ url, fetch }: Wire, settings: object = {}) =>
      new ChatAnthropic({
        model: 'claude-sonnet-4-5',
        apiKey: 'none',
        maxRetries: 0,
        anthropicApiUrl: url,
        clientOptions: { ...(fetch && { fetch }) },
        ...settings,
      }),
  },
  ollama: {
    conversation: ['messages'],
    common: ['temperature', 'max_tokens', 'stop'],
    placeFormat: (format: unknown, body: Body) => ({ ...body, format }),
    client: ({ url, fetch }: Wire, settings: object = {}) =>
      new ChatOllama({
        model: 'qwen3',
        baseUrl: url,
        maxRetries: 0,
        ...(fetch && { fetch }),
        ...settings,
      }),
  },
} satisfies Record<string, Spoken>

export type Dialect = keyof typeof dialects

export const spokenBy = (dialect: Dialect): Spoken => dialects[dialect]
