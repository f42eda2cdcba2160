/** Closed: the kinds of mistakes and failures that this package throws. */
export type DeepAgentErrorCode = 'bad-agent' | 'bad-file' | 'bad-model' | 'model-unavailable'

/** A mistake in how an agent was put together, or a model that cannot answer. `hint` says what to do about it. */
export class DeepAgentError extends Error {
  readonly code: DeepAgentErrorCode
  readonly hint: string

  constructor(code: DeepAgentErrorCode, message: string, options: { hint: string; cause?: unknown }) {
    super(`${message} ${options.hint}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'DeepAgentError'
    this.code = code
    this.hint = options.hint
  }
}
