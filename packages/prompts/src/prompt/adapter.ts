import type { PromptEvent } from '../events/prompt-event.ts'
import type { BudgetTracker } from '../limits/budget-tracker.ts'
import type { Budget } from '../limits/budget.ts'
import type { Deadline } from '../limits/deadline.ts'
import type { PromptResponse, ResumeToken } from '../result/prompt-response.ts'
import type { Session } from '../session/session.ts'
import type { SectionPath, Visibility } from '../visibility.ts'
import type { Prompt } from './prompt.ts'

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
