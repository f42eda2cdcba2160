import type { Json, JsonObject } from '@clewline/core'
import type { FrontendTool } from '@clewline/core/source'
import type { HistoryStore } from './history-store.ts'
import type { LLMMessage } from './llm-message.ts'

/** How a `LangroidAgent` treats tools and state. Everything has a default. */
export interface LangroidAgentConfig {
  /** Default: the agent's own name. */
  readonly name?: string
  readonly description?: string
  /** Per tool, by its Langroid name. */
  readonly toolBehaviors?: Readonly<Record<string, ToolBehavior>>
  /** Rewrites the user's message for the model, typically to tell it the state that the client shares. */
  readonly stateContextBuilder?: (input: LangroidRunInput, prompt: string) => string | Promise<string>
  /** Model calls in one run. Default 8; 200 for a native task, which ends by rules of its own. */
  readonly maxTurns?: number
  /** How often the same tool may run with the same arguments in one run. Default 2. */
  readonly maxRepeats?: number
  readonly threads?: ThreadLimits
  /** Where histories live. Default: the server's checkpointer; stand-alone, memory, as long as the thread is there. */
  readonly history?: HistoryStore
}

export interface ThreadLimits {
  /** Idle threads beyond this many are forgotten, the longest unused first. Default 1000. */
  readonly max?: number
  /** Idle threads are forgotten after so long. Default 30 minutes. */
  readonly idleMs?: number
}

/** What a tool means to the client. A hook that throws is reported as a warning, and the run goes on. */
export interface ToolBehavior {
  /** State to show as soon as the model has asked for the tool. Merged into the shared state. */
  readonly stateFromArgs?: (context: ToolCallContext) => MaybePromise<JsonObject | null | undefined>
  /** State to show once the tool has answered. Merged into the shared state. */
  readonly stateFromResult?: (context: ToolResultContext) => MaybePromise<JsonObject | null | undefined>
  /** Words for the result, said instead of asking the model again. Null asks the model after all. */
  readonly responseFromResult?: (context: ToolResultContext) => MaybePromise<string | null | undefined>
}

export type MaybePromise<T> = T | Promise<T>

/** What a hook sees of a call that the model has written. */
export interface ToolCallContext {
  readonly input: LangroidRunInput
  readonly toolName: string
  readonly toolCallId: string
  readonly args: Json
  /** The shared state as it is now. */
  readonly state: JsonObject
}

/** What a hook sees of a call that was answered. */
export interface ToolResultContext extends ToolCallContext {
  /** Parsed when it is JSON. */
  readonly result: Json
  readonly isError: boolean
  readonly messageId: string
}

/** What the client sent. */
export interface LangroidRunInput {
  readonly threadId: string
  readonly runId: string
  /** The whole conversation, the newest message last. */
  readonly messages: readonly LLMMessage[]
  /** The shared state, without `messages`. */
  readonly state: JsonObject
  readonly tools: readonly FrontendTool[]
  /** AG-UI `context` and what else the client passed on. */
  readonly configurable: JsonObject
}

/** Awaits a value or a promise of one, so that hooks may be either. */
export async function maybeAwait<T>(value: MaybePromise<T>): Promise<T> {
  return await value
}
