import type { CallKind, EndStatus, Interrupt, Origin, Progress, Todo, Usage } from '../envelope.ts'
import type { Json, JsonObject } from '../json.ts'

/** What a screen needs to know after some number of envelopes. Immutable; unchanged parts keep their identity. */
export interface View {
  /** How many entries were folded in. */
  readonly count: number
  /** Position of the newest of them: where a reader resumes. */
  readonly position: number
  /** The root call of each request, oldest first. */
  readonly roots: readonly string[]
  readonly calls: ReadonlyMap<string, Call>
  readonly runs: ReadonlyMap<string, Run>
  readonly todos: readonly Todo[]
  readonly files: ReadonlyMap<string, File>
  /** Other keys of the agent's state, as far as they were announced. */
  readonly state: JsonObject
  /** Questions that wait for an answer. */
  readonly interrupts: readonly PendingInterrupt[]
  readonly warnings: readonly Notice[]
  readonly usage: Usage
  readonly usageByAgent: ReadonlyMap<string, Usage>
}

/** How a call stands. `waiting` is for an answer to an interrupt inside it. */
export type CallStatus = 'running' | 'waiting' | 'error' | EndStatus

/** A graph, sub-graph, sub-agent, tool or model call. */
export interface Call {
  readonly id: string
  /** The call around it. Null for a root, and for a call whose parent had not spoken: so there is never a cycle. */
  readonly parent_id: string | null
  readonly trace_id: string
  /** The run that spoke last: a resumed call belongs to several. */
  readonly run_id: string
  readonly kind: CallKind | 'llm'
  /** Tool or graph name; for a model call the model. */
  readonly name: string
  readonly agent: string
  readonly node: string | undefined
  readonly tool_call_id: string | undefined
  readonly status: CallStatus
  readonly attempt: number
  readonly origin: Origin
  /** Seconds since the epoch. */
  readonly started_at: number
  readonly ended_at: number | null
  readonly first_token_at: number | null
  /** Arguments, input, or model parameters. */
  readonly input: Json
  /** Children in the order of their start. */
  readonly children: readonly string[]
  /** What the model said, or what the tool logged. */
  readonly text: string
  readonly reasoning: string
  /** Content blocks of what the model said, when there is more than text: images, audio, files, citations. */
  readonly content: readonly Json[] | undefined
  /** Tool calls that the model asked for, complete or still streaming in. */
  readonly tool_calls: readonly StreamedToolCall[]
  readonly message_id: string | undefined
  readonly finish_reason: string | undefined
  readonly progress: Progress | undefined
  /** The last thing that the tool yielded besides text. */
  readonly data: Json | undefined
  readonly result: Json | undefined
  readonly error:
    | { readonly name: string; readonly message: string; readonly stack: string; readonly class: string }
    | undefined
  /** Of this call alone. */
  readonly usage: Usage
  /** Of this call and everything below it. */
  readonly total: Usage
  readonly checkpoint_id: string | undefined
  /** Index (0-based) in the timeline of the first and the newest envelope of this call. */
  readonly first: number
  readonly last: number
  readonly seq: number
}

/** A tool call while the model writes it. */
export interface StreamedToolCall {
  readonly id: string
  readonly name: string
  readonly index: number
  /** JSON text, as far as it has come. */
  readonly args: string
}

/** A run, as its envelopes tell of it. */
export interface Run {
  readonly run_id: string
  readonly trace_id: string
  readonly root: string
  readonly agent: string
  readonly status: 'running' | 'interrupted' | 'success' | 'error' | 'cancelled'
  readonly started_at: number
  readonly ended_at: number | null
  readonly usage: Usage
}

/** A file as the run left it, with all that happened to it. */
export interface File {
  readonly name: string
  /** Null when removed. */
  readonly content: string | null
  /** Oldest first. */
  readonly history: readonly FileChange[]
}

/** What one call did to a file. */
export interface FileChange {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly call_id: string
  readonly agent: string
  readonly ts: number
  /** Index in the timeline. */
  readonly at: number
  readonly content: string | null
}

/** A question that waits for its answer. */
export interface PendingInterrupt extends Interrupt {
  readonly call_id: string
  readonly run_id: string
  readonly agent: string
  readonly ts: number
}

/** A warning, and who gave it. */
export interface Notice {
  readonly code: string
  readonly message: string
  readonly call_id: string
  readonly agent: string
  readonly ts: number
  readonly facts: JsonObject
}

/** The view before the first envelope. */
export const EMPTY_VIEW: View = {
  count: 0,
  position: 0,
  roots: [],
  calls: new Map(),
  runs: new Map(),
  todos: [],
  files: new Map(),
  state: {},
  interrupts: [],
  warnings: [],
  usage: {},
  usageByAgent: new Map(),
}
