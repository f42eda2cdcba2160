import type { Budget } from '../limits/budget.ts'
import type { BudgetTracker } from '../limits/budget-tracker.ts'
import type { Deadline } from '../limits/deadline.ts'
import type { TokenUsage } from '../limits/token-usage.ts'
import type { PromptEvent } from '../events/prompt-event.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { SectionPath, Visibility } from '../prompt/section.ts'
import type { Session } from '../session/session.ts'

/** Evaluates prompts. */
export interface Adapter {
  readonly name: string
  evaluate<P, O>(prompt: Prompt<P, O>, options: EvaluateOptions): Promise<PromptResponse<O>>
  stream<P, O>(prompt: Prompt<P, O>, options: EvaluateOptions): PromptStream<O>
  /** Goes on after an interrupt, in this process or another. */
  resume<P, O>(
    prompt: Prompt<P, O>,
    token: ResumeToken,
    decision: unknown,
    options: EvaluateOptions,
  ): Promise<PromptResponse<O>>
}

/** The session, the turn of the user, and the limits of one evaluation. */
export interface EvaluateOptions {
  readonly session: Session
  /** The user's turn: text, or messages as LangChain takes them. The rendered prompt is the system message. */
  readonly input?: string | readonly unknown[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly deadline?: Deadline | undefined
  readonly budget?: Budget | undefined
  /** Shared with other evaluations; wins over `budget`. */
  readonly budgetTracker?: BudgetTracker | undefined
  readonly visibility?: Readonly<Record<SectionPath, Visibility>> | undefined
  /** Continues this conversation. Without it every evaluation starts a new one. */
  readonly threadId?: string | undefined
}

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

/** What happens while a prompt is evaluated; `final` comes last. */
export type StreamPart<O> =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'tool-start'; readonly callId: string; readonly name: string; readonly params: unknown }
  | { readonly type: 'tool-progress'; readonly callId: string; readonly name: string; readonly data: unknown }
  | { readonly type: 'tool-end'; readonly callId: string; readonly name: string; readonly result: string }
  | { readonly type: 'event'; readonly event: PromptEvent }
  | { readonly type: 'state'; readonly node: string; readonly update: unknown }
  | { readonly type: 'final'; readonly response: PromptResponse<O> }

/** Leaving the loop stops the evaluation. Failures are thrown by the loop and reject `response`. */
export interface PromptStream<O> extends AsyncIterable<StreamPart<O>> {
  readonly response: Promise<PromptResponse<O>>
}
