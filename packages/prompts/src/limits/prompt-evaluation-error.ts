/** Where an evaluation stood when it failed. */
export type Phase = 'request' | 'response' | 'tool' | 'budget'

export interface EvaluationErrorOptions {
  readonly promptName: string
  readonly phase: Phase
  readonly providerPayload?: unknown
  readonly cause?: unknown
}

/** An evaluation that did not come to a response. `phase` says where, `cause` holds the original error. */
export class PromptEvaluationError extends Error {
  readonly promptName: string
  readonly phase: Phase
  /** What the provider said, or facts such as `deadline_expires_at`. */
  readonly providerPayload: unknown

  constructor(message: string, options: EvaluationErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PromptEvaluationError'
    this.promptName = options.promptName
    this.phase = options.phase
    this.providerPayload = options.providerPayload
  }
}
