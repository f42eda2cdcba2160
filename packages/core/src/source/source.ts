import type { Draft } from './draft.ts'
import type { Interrupt } from '../envelope.ts'
import type { Json, JsonObject } from '../json.ts'

/** Runs an agent and says what it does. One shape for every framework, so that the runtime knows none of them. */
export interface Source {
  readonly name: string
  describe(): SourceDescription | Promise<SourceDescription>
  /**
   * Runs to the end, to an interrupt, or until `context.signal` aborts. Resolves with how it ended; a failure of the
   * agent is an outcome, not a rejection. Drafts that arrive after it resolved are dropped.
   */
  run(request: RunRequest, context: RunContext): Promise<RunOutcome>
  /**
   * Whether this run has saved anything in the thread, so that it can be recovered; a run that has not is started again.
   * Undefined when it cannot be known, because an older version saved the state. A source that leaves this out is judged
   * by whether the thread's checkpoint has changed since the run began.
   */
  hasSaved?(
    run: Pick<RunContext, 'run_id' | 'trace_id'>,
    context: ThreadContext,
  ): Promise<boolean | undefined>
  /** What the thread holds now. A source that keeps no state of its own leaves this out. */
  state?(context: ThreadContext): Promise<SourceState>
  /** Writes values into the thread's state, as its next checkpoint. */
  update?(values: JsonObject, context: ThreadContext): Promise<void>
  /** Copies the state at a checkpoint, and the history before it, into another thread. */
  fork?(checkpoint_id: string, to: string, context: ThreadContext): Promise<void>
  /** The states that the thread has been in and can be forked from, newest first: a page of them, by default of 500. */
  checkpoints?(context: ThreadContext, page?: CheckpointsPage): Promise<readonly SourceCheckpoint[]>
  /**
   * Frees what outlives a run: processes, connections. The server calls it once its runs are over or handed over, and does
   * not wait for it for ever. Idempotent; nothing is run afterwards.
   */
  close?(): Promise<void>
}

export interface CheckpointsPage {
  readonly limit: number
  /** Only states from before this one. */
  readonly before?: string
}

/** What readers may know of an agent before it runs. */
export interface SourceDescription {
  readonly name: string
  readonly description?: string
  /** JSON Schema of `input`. */
  readonly input_schema?: JsonObject
  /** JSON Schema of the final state that the agent publishes, so that readers need not guess. */
  readonly output_schema?: JsonObject
  /** Names of the sub-agents it may call; empty when there are none, absent when that is not known. */
  readonly subagents?: readonly string[]
  /** False for an agent that never waits for an answer; absent when that is not known. */
  readonly interrupts?: boolean
  /** True for a scripted model that answers without a provider; readers name it as such. */
  readonly scripted?: boolean
}

/** What to do. Exactly one of the three is what starts the run. */
export type RunRequest = {
  readonly config?: RunConfig
  readonly tools?: readonly FrontendTool[]
  readonly user?: RunUser
} & (
  | { readonly kind: 'input'; readonly input: Json }
  | { readonly kind: 'resume'; readonly answers: readonly Answer[] }
  /** Go on from the last checkpoint: the process that ran it died or drained. */
  | { readonly kind: 'recover' }
)

/** Who asked for a run, as the server has authenticated them; nothing in it comes from the request itself. */
export interface RunUser {
  readonly identity: string
  readonly permissions: readonly string[]
  /** Whatever else `authenticate` knows. */
  readonly [fact: string]: Json
}

/** Limits and settings of one run. */
export interface RunConfig {
  readonly recursion_limit?: number
  /** Start from this checkpoint instead of the newest. */
  readonly checkpoint_id?: string
  /** Passed to the agent as its context. Set by clients: what the agent's own config has under a key comes first. */
  readonly configurable?: JsonObject
  readonly tags?: readonly string[]
}

/** A tool that the client runs: it reaches the model, and a call to it ends the run as `pending_frontend`. */
export interface FrontendTool {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject
}

/**
 * A human's answer. Without `interrupt_id` it answers the only open interrupt. With `question_id` it is consumed once: a
 * source that finds another question open under the id does not use it.
 */
export interface Answer {
  readonly interrupt_id?: string
  readonly question_id?: string
  readonly value: Json
}

/** Which thread, and where its states are kept. */
export interface ThreadContext {
  readonly thread_id: string
  /** The framework's own store of states, opaque here: for LangGraph a `BaseCheckpointSaver`. */
  readonly checkpointer: unknown
}

/** What a source is given for one run. */
export interface RunContext extends ThreadContext {
  readonly run_id: string
  readonly trace_id: string
  /** Awaiting it is the backpressure. It returns nothing while there is room, so that a token costs no promise. */
  emit(draft: Draft): void | Promise<void>
  /** Whether the call at this path is open. One that an earlier run of this trace left open is resumed, not started. */
  isOpen(path: readonly string[]): boolean
  /** Cancel: stop now, also inside the model call and nested tools. */
  readonly signal: AbortSignal
  /** Drain: stop at the next point from which `recover` can go on. */
  readonly drain: AbortSignal
}

/** How a run ended. */
export type RunOutcome =
  | { readonly status: 'success' }
  | { readonly status: 'interrupted'; readonly interrupts: readonly Interrupt[] }
  | { readonly status: 'cancelled' }
  | { readonly status: 'drained' }
  | { readonly status: 'error'; readonly error: { readonly name: string; readonly message: string } }

/** What a thread holds. */
export interface SourceState {
  readonly values: Json
  /** Nodes that would run next; empty when the thread is done. */
  readonly next: readonly string[]
  readonly interrupts: readonly Interrupt[]
  readonly checkpoint_id: string | null
}

/** A state of the past that a thread can be forked from. */
export interface SourceCheckpoint {
  readonly checkpoint_id: string
  readonly parent_id: string | null
  /** ISO 8601. */
  readonly ts: string
  readonly step: number
  /** Nodes that would run next from here. */
  readonly next: readonly string[]
  /** How many messages the state holds. */
  readonly messages: number
}
