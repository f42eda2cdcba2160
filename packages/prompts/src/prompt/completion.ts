import type { SessionView } from '../session/session.ts'

/** An answer that the model takes for its last. */
export interface FinalAnswer<O = unknown> {
  /** Null when the prompt has an `output`. */
  readonly text: string | null
  readonly output: O
  readonly session: SessionView
  readonly signal: AbortSignal
}

/** What is still to be done, as a sentence to the model; nothing when the task is complete. */
export type CompletionVerdict = string | undefined | void
