import type { Entry, Interrupt, Json, JsonObject, Message } from '@clewline/core'
import type { Answer, FrontendTool } from '@clewline/core/source'

/**
 * The port: what the AG-UI streams need from the owner of threads and runs. Methods throw `ClewlineError` for what cannot be done
 * (`unknown-agent`, `busy`, `forbidden`, …); the handlers turn it into a status or a `RUN_ERROR`.
 */
export interface Threads {
  /** Starts a run. Idempotent: the same `run_id` is the same run. */
  start(run: StartRun): Promise<StartedRun>
  /**
   * History after `after`, then what comes, in arrays as large as they are there at once: each becomes one write to the
   * client. Ends when `signal` aborts, or at the end of what is there if `follow` is false.
   */
  read(thread_id: string, options: ReadThread): AsyncIterable<readonly Entry[]>
  /** What the thread holds now; null when there is no such thread (or it belongs to someone else). */
  state(thread_id: string): Promise<ThreadState | null>
  /** Resolves when the run is over or waits for an answer; at once if it already does. Rejects when `signal` aborts. */
  settled(thread_id: string, run_id: string, signal: AbortSignal): Promise<SettledRun>
  cancel(thread_id: string, run_id: string): Promise<void>
  /** For `capabilities`; null when there is no such agent. */
  describe(agent: string): Promise<AgentDescription | null>
}

/** A run that a client asks for. The same `run_id` again is the same run. */
export interface StartRun {
  readonly thread_id: string
  readonly run_id: string
  readonly agent: string
  /** One of the two starts the run. `input.messages` are `{id, role, content}`, the new ones only. */
  readonly request:
    | { readonly kind: 'input'; readonly input: JsonObject }
    | { readonly kind: 'resume'; readonly answers: readonly Answer[] }
  /** Tools that the client runs. */
  readonly tools: readonly FrontendTool[]
  /** Passed to the agent: AG-UI's `context`, and those forwarded props that the option `forward` names. */
  readonly configurable: JsonObject
}

/** A run that has been accepted. */
export interface StartedRun {
  readonly run_id: string
  /** The run's first envelope comes after this position. */
  readonly position: number
}

/** Which entries of a thread to read. */
export interface ReadThread {
  readonly after: number
  readonly follow: boolean
  readonly signal: AbortSignal
}

/** What a thread holds now. */
export interface ThreadState {
  /** The agent's state. A `messages` key in it is not shown as state. */
  readonly values: Json
  /** The whole conversation, with the ids that `llm_end` and the input gave. */
  readonly messages: readonly Message[]
  readonly interrupts: readonly Interrupt[]
  readonly status: 'idle' | 'busy' | 'interrupted' | 'error'
  readonly position: number
  /** The run to attach to: running, or else the oldest pending. */
  readonly active_run: string | null
  /** A position before the first envelope of the newest trace. Absent means 0: right, but slower on a long thread. */
  readonly trace_position?: number
}

/** How a run ended, or that it waits for an answer. */
export interface SettledRun {
  readonly status: 'success' | 'error' | 'interrupted' | 'cancelled'
  /** Position of the run's last envelope; 0 when it never wrote one. */
  readonly position: number
  readonly error?: { readonly name: string; readonly message: string }
}

/** What clients may know of an agent. */
export interface AgentDescription {
  readonly name: string
  readonly description?: string
  readonly subagents?: readonly string[]
  readonly interrupts?: boolean
}
