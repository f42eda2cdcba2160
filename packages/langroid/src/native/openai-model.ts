import type { JsonObject } from '@clewline/core'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { completionBody } from './completion-body.ts'
import {
  LanguageModelError,
  type LanguageModel,
  type ModelEvent,
  type ModelRequest,
} from './language-model.ts'
import { readCompletionChunks } from './read-completion-chunks.ts'

export interface OpenAIModelConfig {
  readonly model: string
  /** Any server that speaks chat completions. Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string
  readonly apiKey?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** Sent with every request: `temperature`, `reasoning_effort`, … */
  readonly params?: JsonObject
  /** Tries after a 408, 409, 429 or 5xx answer or a refused connection, before anything was said. Default 2. */
  readonly retries?: number
  readonly fetch?: typeof fetch
}

/** An OpenAI-compatible chat model that streams text, reasoning and tool arguments as they are generated. */
export function OpenAIModel(config: OpenAIModelConfig): LanguageModel {
  const send = config.fetch ?? fetch
  const url = `${(config.baseUrl ?? 'https://api.openai.com/v1').replace(/\/+$/, '')}/chat/completions`
  const headers = {
    'content-type': 'application/json',
    ...(config.apiKey !== undefined && { authorization: `Bearer ${config.apiKey}` }),
    ...config.headers,
  }

  async function open(request: ModelRequest): Promise<ReadableStream<Uint8Array>> {
    const body = JSON.stringify({
      ...config.params,
      model: config.model,
      ...completionBody(request),
      stream: true,
      stream_options: { include_usage: true },
    })
    for (let attempt = 0; ; attempt++) {
      const mayRetry = attempt < (config.retries ?? 2)
      let response: Response
      try {
        response = await send(url, { method: 'POST', headers, body, signal: request.signal })
      } catch (cause) {
        if (request.signal.aborted) throw cause
        if (mayRetry) {
          await backOff(attempt, request.signal)
          continue
        }
        throw new LanguageModelError(`The model server at ${url} could not be reached: ${messageOf(cause)}`, {
          cause,
        })
      }
      if (response.ok && response.body !== null) return response.body
      const isTransient = [408, 409, 429].includes(response.status) || response.status >= 500
      const said = await response.text()
      if (!isTransient || !mayRetry) {
        throw new LanguageModelError(`The model answered ${response.status}: ${errorText(said)}`, {
          status: response.status,
        })
      }
      await backOff(attempt, request.signal)
    }
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent, void> {
    const body = await open(request)
    const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    try {
      yield* readCompletionChunks(events)
    } catch (cause) {
      if (request.signal.aborted || cause instanceof LanguageModelError) throw cause
      throw new LanguageModelError(`The model's answer broke off: ${messageOf(cause)}`, { cause })
    }
  }

  return { name: config.model, ...(config.params !== undefined && { params: config.params }), stream }
}

async function backOff(attempt: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(finish, 250 * 2 ** attempt)
    function finish(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    signal.addEventListener('abort', finish)
  })
  signal.throwIfAborted()
}

function errorText(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && 'error' in parsed) {
      const { error } = parsed
      if (typeof error === 'string') return error
      if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
    }
  } catch {
    // Not JSON: show what was said.
  }
  return body.slice(0, 500)
}

/** `fetch failed` says nothing; what it wraps does (ECONNREFUSED, ENOTFOUND). */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message} (${error.cause.message})`
    : error.message
}
