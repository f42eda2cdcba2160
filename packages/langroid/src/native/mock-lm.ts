import { sleep, type Json, type Usage } from '@clewline/core'
import type { LanguageModel, ModelEvent, ModelRequest } from './language-model.ts'

export interface MockLMConfig {
  /** Answers by the exact text of the last message. */
  readonly responses?: Readonly<Record<string, MockResponse>>
  /** Asked when `responses` has no entry. */
  readonly respond?: (text: string, request: ModelRequest) => MockResponse | Promise<MockResponse>
  /** Last resort. */
  readonly fallback?: MockResponse
  readonly name?: string
  /** Characters per text piece. Default 8. */
  readonly pieceLength?: number
  /** Milliseconds between pieces. Default 0. */
  readonly delay?: number
}

/** What the model says: plain text, or text with reasoning and tool calls. */
export type MockResponse =
  | string
  | {
      readonly text?: string
      readonly reasoning?: string
      readonly toolCalls?: readonly { readonly name: string; readonly args: Json; readonly id?: string }[]
      readonly usage?: Usage
      /** Thrown after everything above was said. */
      readonly error?: Error
    }

/** A scripted model. Unlike Langroid's it streams, reasons and calls tools, so that every path can be scripted. */
export function MockLM(config: MockLMConfig = {}): LanguageModel {
  const pieceLength = config.pieceLength ?? 8
  let calls = 0

  async function answerTo(request: ModelRequest): Promise<MockResponse> {
    const text = request.messages.at(-1)?.content ?? ''
    const scripted = config.responses?.[text]
    if (scripted !== undefined) return scripted
    if (config.respond !== undefined) return await config.respond(text, request)
    return config.fallback ?? 'Mock response'
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent, void> {
    const answer = await answerTo(request)
    const { text, reasoning, toolCalls, usage, error } =
      typeof answer === 'string' ? { text: answer } : { text: '', ...answer }
    const pieces: ModelEvent[] = [
      ...split(reasoning ?? '', pieceLength).map((delta) => ({ type: 'reasoning' as const, delta })),
      ...split(text, pieceLength).map((delta) => ({ type: 'text' as const, delta })),
    ]
    for (const [index, call] of (toolCalls ?? []).entries()) {
      pieces.push({ type: 'tool_name', index, id: call.id ?? `call_mock_${++calls}`, name: call.name })
      const json = JSON.stringify(call.args)
      pieces.push(...split(json, pieceLength).map((delta) => ({ type: 'tool_args' as const, index, delta })))
    }
    for (const piece of pieces) {
      if (config.delay !== undefined) await sleep(config.delay, request.signal)
      request.signal.throwIfAborted()
      yield piece
    }
    if (error !== undefined) throw error
    yield {
      type: 'end',
      finish_reason: toolCalls === undefined || toolCalls.length === 0 ? 'stop' : 'tool_calls',
      usage: usage ?? {},
    }
  }

  return { name: config.name ?? 'mock', scripted: true, stream }
}

/** Pieces of whole characters: never half of a surrogate pair. */
function split(text: string, length: number): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let i = 0; i < characters.length; i += length) pieces.push(characters.slice(i, i + length).join(''))
  return pieces
}
