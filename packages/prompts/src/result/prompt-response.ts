import type { TokenUsage } from '../limits/token-usage.ts'
import type { SectionPath, Visibility } from '../visibility.ts'

/** How an evaluation ended, when it did not fail. */
export type PromptResponse<O> = CompletedResponse<O> | InterruptedResponse

/** The model has answered. */
export interface CompletedResponse<O> {
  readonly status: 'completed'
  readonly promptName: string
  /** Null when the prompt has an `output`. */
  readonly text: string | null
  readonly output: O
  readonly usage: TokenUsage
  /** Model calls made. */
  readonly steps: number
}

/** The evaluation waits, for an answer or at a breakpoint; `resumeToken` goes on. */
export interface InterruptedResponse {
  readonly status: 'interrupted'
  readonly promptName: string
  /** Questions; empty at a breakpoint. */
  readonly interrupts: readonly Interrupt[]
  /** Nodes that run next. */
  readonly next: readonly string[]
  readonly usage: TokenUsage
  readonly resumeToken: ResumeToken
}

export interface Interrupt {
  readonly id: string
  readonly value: unknown
}

/** JSON: it can be stored and used by another process with the same prompt, session and checkpointer. */
export interface ResumeToken {
  readonly version: 1
  readonly threadId: string
  readonly evaluationId: string
  readonly prompt: { readonly ns: string; readonly key: string; readonly hash: string }
  readonly interrupts: readonly string[]
  /** Where the graph stood; says whether a breakpoint was passed since. */
  readonly checkpointId?: string
  readonly visibility: Readonly<Record<SectionPath, Visibility>>
  readonly usage: TokenUsage
  /** Model calls made before the pause. */
  readonly steps: number
  /** Tool calls of the open turn that are over; they are not run again. */
  readonly settled: readonly SettledCall[]
}

/** A tool call that is over, with what the model reads. */
export interface SettledCall {
  readonly callId: string
  readonly content: string
  readonly status: 'success' | 'error'
}
