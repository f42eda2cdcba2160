import { PromptEvaluationError, type Phase } from './prompt-evaluation-error.ts'

/** Time ran out. `providerPayload.deadline_expires_at` says when. Give more time, or a smaller task. */
export class DeadlineExceededError extends PromptEvaluationError {
  readonly expiresAt: Date

  constructor(
    message: string,
    options: {
      readonly expiresAt: Date
      readonly phase: Phase
      readonly promptName?: string
      readonly cause?: unknown
    },
  ) {
    super(message, {
      promptName: options.promptName ?? '',
      phase: options.phase,
      providerPayload: { deadline_expires_at: options.expiresAt.toISOString() },
      cause: options.cause,
    })
    this.name = 'DeadlineExceededError'
    this.expiresAt = options.expiresAt
  }
}
