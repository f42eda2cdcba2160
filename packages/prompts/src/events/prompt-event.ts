import type { TokenUsage } from '../limits/token-usage.ts'
import type { PromptResponse, Interrupt } from '../result/prompt-response.ts'
import type { ToolResult } from '../result/tool-result.ts'
import type { ThrottleDetails } from '../throttle/throttle-error.ts'

/** What an evaluation says about itself, in the order in which it happens. */
interface PromptEvents {
  /** The prompt became text; the first model call follows. */
  PromptRendered: {
    readonly ns: string
    readonly key: string
    readonly params: unknown
    readonly text: string
    readonly tools: readonly string[]
  }
  /** A model answered, also one that a tool or a node called. */
  ModelCalled: { readonly call: number; readonly usage: TokenUsage; readonly consumed: TokenUsage }
  /** A tool call is over, whatever came of it. `params` are the raw arguments when they were refused. */
  ToolInvoked: {
    readonly name: string
    readonly callId: string
    readonly params: unknown
    readonly result: ToolResult<unknown>
    /** What the model reads. */
    readonly rendered: string
  }
  /** The provider throttled the call, or was `unavailable`; it is retried after `delayMs`. */
  Throttled: ThrottleDetails & { readonly delayMs: number }
  /** The evaluation waits for an answer. */
  Interrupted: { readonly interrupts: readonly Interrupt[] }
  PromptExecuted: { readonly response: PromptResponse<unknown>; readonly usage: TokenUsage }
  PromptFailed: { readonly error: unknown; readonly usage: TokenUsage }
}

/** Names of the events on the bus. */
export type PromptEventType = keyof PromptEvents

/** Who says it. */
export interface EventHead {
  readonly eventId: string
  readonly sessionId: string
  readonly evaluationId: string
  readonly promptName: string
  readonly adapter: string
  readonly at: Date
}

/** An event before it is known who says it. */
export type EventFacts = { [T in PromptEventType]: { readonly type: T } & PromptEvents[T] }[PromptEventType]

/** What an evaluation says on the bus of its session. */
export type PromptEvent<K extends PromptEventType = PromptEventType> = {
  [T in K]: { readonly type: T } & EventHead & PromptEvents[T]
}[K]
