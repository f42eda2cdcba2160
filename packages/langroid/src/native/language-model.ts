import type { JsonObject, Usage } from '@clewline/core'
import type { LLMMessage } from '../llm-message.ts'

/** What a native agent thinks with. */
export interface LanguageModel {
  readonly name: string
  /** True when answers are scripted and no provider is asked. */
  readonly scripted?: boolean
  /** Sent with every request, and recorded with it: sampling, limits. */
  readonly params?: JsonObject
  /** One answer, piece by piece, with one `end` last. Throws `LanguageModelError` when there is none to be had. */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

export interface ModelRequest {
  readonly messages: readonly LLMMessage[]
  readonly tools: readonly ToolSpec[]
  /** The answer must be JSON of this form. */
  readonly output?: OutputFormat
  readonly signal: AbortSignal
}

/** A tool as the model's API describes it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
  /** The provider must keep to the schema. */
  readonly strict?: boolean
}

/** A form for whole answers. */
export interface OutputFormat {
  readonly name: string
  /** JSON Schema. */
  readonly schema: JsonObject
}

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'tool_name'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'tool_args'; readonly index: number; readonly delta: string }
  | { readonly type: 'end'; readonly finish_reason: string; readonly usage: Usage }

/** The provider refused, broke off, or could not be reached. */
export class LanguageModelError extends Error {
  /** HTTP status, when there was an answer at all. */
  readonly status: number | undefined

  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'LanguageModelError'
    this.status = options.status
  }
}
