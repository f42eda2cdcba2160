import type { Json, JsonObject, ModelInput, Usage } from '@clewline/core'
import type { FrontendTool } from '@clewline/core/source'
import type { LLMMessage } from './llm-message.ts'

/** A task ends by its own rules, and finds its own loops: this only stops one that talks for ever. */
export const TASK_TURNS = 200

/** Where Langroid runs: in this process or in a Python worker. The adapter cannot tell them apart. */
export interface Backend {
  readonly name: string
  readonly description?: string
  /** Names of the sub-tasks that may take part; absent when that is not known before a run. */
  readonly subagents?: readonly string[]
  /** False when no agent of it can ask its user in mid-run. */
  readonly interrupts?: boolean
  /** True for a scripted model; readers show it. */
  readonly scripted?: boolean
  /** Model calls in one run, unless the adapter's config says. */
  readonly maxTurns?: number
  /**
   * One run: zero or more events, then exactly one ending. Stops soon after `signal` aborts, with `done` of reason
   * `cancelled`. Histories are the caller's: the backend keeps nothing that it could not rebuild.
   *
   * Durable execution: a backend that journals says each thing that must not be done twice (an answer of a model, a
   * handler's result, a human's answer) as a `journal` entry, and one before its first model call. A run that goes on is
   * given its first input and the whole journal: the backend replays it, with the same events in the same order and no
   * effects, then says `live`. One that does not journal is given `continue` instead.
   */
  run(request: BackendRequest): AsyncIterable<BackendEvent>
  /** The thread's session is not needed soon: free what it holds. */
  evict(thread: string): void
  close(): Promise<void>
}

export interface BackendRequest {
  readonly thread: string
  readonly run: string
  /** What was said before `input`, without the system message, every tool call answered. */
  readonly messages: readonly LLMMessage[]
  readonly input: BackendInput
  readonly tools: readonly FrontendTool[]
  readonly limits: Limits
  /** Tools whose result ends the run, because the caller words the answer itself. */
  readonly return_after: readonly string[]
  /** What this run has journaled; empty for a run that begins. */
  readonly journal: readonly Json[]
  /** A human's answer to the `question` in which the run stopped, asked where the journal ends. */
  readonly answer?: Json
  /** What the thread's last run said with `memory`; null when none did. */
  readonly memory: Json
  readonly signal: AbortSignal
}

export type BackendInput =
  | { readonly kind: 'user'; readonly text: string }
  /** Answers to frontend calls of the last assistant message in `messages`. */
  | { readonly kind: 'tool_results'; readonly results: readonly ToolAnswer[] }
  /** `messages` is complete: go on from its end. */
  | { readonly kind: 'continue' }

interface ToolAnswer {
  readonly id: string
  readonly content: string
}

interface Limits {
  /** Model calls in one run. */
  readonly max_turns: number
  /** The same for a task, for a backend that finds out only in the run whether it runs one. */
  readonly max_task_turns: number
  /** How often the same tool may be called with the same arguments in one run. */
  readonly max_repeats: number
}

/** Who answers a tool call. `unknown`: the model made the name up, or the tool is not enabled for handling. */
export type CallPlace = 'backend' | 'frontend' | 'unknown'

/** What a backend says, in the words of the worker protocol. `turn` counts model calls from 0. */
export type BackendEvent =
  | {
      readonly ev: 'llm_start'
      readonly turn: number
      readonly model: string
      readonly agent: string
      /** What the model is asked; absent where the backend cannot see it. */
      readonly input?: ModelInput
      readonly params?: JsonObject
    }
  | { readonly ev: 'text'; readonly turn: number; readonly delta: string }
  | { readonly ev: 'reasoning'; readonly turn: number; readonly delta: string }
  | {
      readonly ev: 'tool_name'
      readonly turn: number
      readonly index: number
      readonly id: string
      readonly name: string
      readonly place: CallPlace
    }
  | { readonly ev: 'tool_args'; readonly turn: number; readonly index: number; readonly delta: string }
  | {
      readonly ev: 'llm_end'
      readonly turn: number
      readonly content: string
      readonly tool_calls: readonly BackendCall[]
      readonly usage: Usage
      readonly finish_reason: string
    }
  | { readonly ev: 'tool_start'; readonly id: string }
  | {
      readonly ev: 'tool_update'
      readonly id: string
      readonly state?: JsonObject
      readonly text?: string
      readonly progress?: { readonly done: number; readonly total?: number }
    }
  | {
      readonly ev: 'tool_result'
      readonly id: string
      readonly content: string
      /** The handler's own words when it failed; the model sees `content`. */
      readonly error: string | null
    }
  /** A sub-task begins or ends. Steps nest. */
  | { readonly ev: 'step'; readonly phase: 'start' | 'end'; readonly name: string; readonly result?: string }
  /** A model call that is no part of the conversation, said when it is over: an agent's own reading and rewording. */
  | {
      readonly ev: 'inner_call'
      readonly agent: string
      readonly model: string
      readonly content: string
      readonly usage: Usage
    }
  /** The main agent's history grew. */
  | { readonly ev: 'message'; readonly message: LLMMessage }
  /** Words for people that no model said: a task's result. */
  | { readonly ev: 'say'; readonly text: string }
  /** Opaque to the caller, who saves it with what was said before. */
  | { readonly ev: 'journal'; readonly entry: Json }
  /** The journal does not fit and is void: the run begins anew, with its input. */
  | { readonly ev: 'restart' }
  /** The journal is replayed: what follows happens now. */
  | { readonly ev: 'live' }
  /** What the session remembers besides `messages`: the histories of sub-agents. Said before the ending. */
  | { readonly ev: 'memory'; readonly memory: Json }
  | { readonly ev: 'warning'; readonly code: string; readonly message: string }
  | { readonly ev: 'done'; readonly reason: DoneReason; readonly pending: readonly string[] }
  /** The innermost sub-task asks its user. The run goes on, with `answer`, where the journal ends. */
  | { readonly ev: 'question'; readonly question: Question }
  | { readonly ev: 'error'; readonly code: BackendErrorCode; readonly type: string; readonly message: string }

/** The last event of a run. */
export type BackendEnding = Extract<BackendEvent, { ev: 'done' | 'question' | 'error' }>

/** What an agent asks its user: the value of the interrupt that readers see. */
export interface Question extends JsonObject {
  readonly agent: string
  readonly text: string
}

export interface BackendCall {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly args: Json
  readonly via: 'api' | 'text'
  readonly place: CallPlace
}

type DoneReason = 'stop' | 'frontend_tools' | 'returned' | 'max_turns' | 'repeated' | 'stalled' | 'cancelled'

type BackendErrorCode = 'LLM' | 'TOOL' | 'INPUT' | 'LOOP' | 'INTERNAL' | 'WORKER'
