import { PromptEvaluationError } from '../limits/prompt-evaluation-error.ts'

/** What is known about a call that is tried again. `unavailable`: a 5xx, or the connection was lost. */
export interface ThrottleDetails {
  readonly kind: 'rate_limit' | 'quota_exhausted' | 'timeout' | 'unavailable' | 'unknown'
  /** The shortest wait that the provider asked for. */
  readonly retryAfterMs?: number
  /** Attempts made so far. */
  readonly attempts: number
  /** False when trying again is of no use. */
  readonly retrySafe: boolean
}

/** The provider refused for load or quota, and retrying did not help. */
export class ThrottleError extends PromptEvaluationError {
  readonly details: ThrottleDetails

  constructor(
    message: string,
    options: {
      readonly details: ThrottleDetails
      readonly promptName?: string
      readonly providerPayload?: unknown
      readonly cause?: unknown
    },
  ) {
    super(message, { ...options, promptName: options.promptName ?? '', phase: 'request' })
    this.name = 'ThrottleError'
    this.details = options.details
  }
}
