import type { EventHead } from '../events/prompt-event.ts'
import type { BudgetTracker } from '../limits/budget-tracker.ts'
import type { Clock } from '../limits/clock.ts'
import type { Deadline } from '../limits/deadline.ts'
import type { Phase } from '../limits/prompt-evaluation-error.ts'
import type { Adapter, StreamPart } from '../prompt/adapter.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { RenderedPrompt } from '../prompt/render-prompt.ts'
import type { SettledCall } from '../result/prompt-response.ts'
import type { Session, Transaction } from '../session/session.ts'
import type { SectionPath, Visibility } from '../visibility.ts'
import type { CommitOrder } from './commit-order.ts'

/** How sections that the model opens come into view. */
export type Disclosure = 'inline' | 'restart' | 'throw'

/** What a tool call needs of the evaluation that it runs in. */
export interface ToolEvaluation {
  readonly adapter: Adapter
  readonly prompt: Prompt
  readonly session: Session
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly limits: { readonly deadline: Deadline | undefined; readonly tracker: BudgetTracker | undefined }
  readonly disclosure: Disclosure
  /** True when a foreign graph owns the system message: opened sections are shown in the tool's answer. */
  readonly disclosesInAnswer: boolean
  readonly canPause: boolean
  readonly order: CommitOrder
  /** Calls of the open turn that are over. */
  readonly settled: Map<string, SettledCall>
  /** Arguments that were not JSON, by tool call. */
  readonly malformed: Map<string, string>
  render(): RenderedPrompt
  /** Opens sections for the rest of the evaluation. */
  open(overrides: Readonly<Record<SectionPath, Visibility>>): void
  head(): EventHead
  tell(part: StreamPart<never>): void
  /** Throws when a limit is reached or the evaluation was stopped. */
  checkBefore(what: 'model' | 'tool'): void
  /** A transaction that `stop` rolls back, as does the end of the evaluation. */
  begin(label: string): Transaction
  enter(phase: Phase): Disposable
  stop(reason: unknown): void
}
