import type { Json, JsonObject } from '@clewline/core'
import type { Answer, FrontendTool, RunConfig } from '@clewline/core/source'

/**
 * What the runtime needs to remember. Everything is a promise so that a store across a network fits; every method is
 * one transaction. Times are ISO 8601 in UTC, which also order as text.
 */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** LangGraph's own store of states (a `BaseCheckpointSaver`), opaque to the runtime. */
  readonly checkpointer: unknown
  readonly segments: Segments
  readonly threads: Threads
  readonly runs: Runs
  readonly crons: Crons
  /** How the processes that share the store tell each other what happened. Absent where there is only one. */
  readonly notices?: Notices
  /** Whether an error says that the store cannot be reached just now, which passes. Absent where it is always there. */
  isAway?(error: unknown): boolean
  close(): Promise<void>
}

export type Notice =
  /** The thread's log has grown to `last`. */
  | { readonly kind: 'log'; readonly thread_id: string; readonly last: number }
  /** A thread, or a run of it, is no longer what it was. */
  | { readonly kind: 'changed'; readonly thread_id: string; readonly run_id?: string }
  /** Whoever runs it shall stop it. */
  | { readonly kind: 'cancel'; readonly run_id: string }
  | { readonly kind: 'removed'; readonly thread_id: string; readonly owner: string | null }
  /** A cron was created, or has ticked. */
  | { readonly kind: 'cron'; readonly cron_id: string }
  /** The line was cut: anything may have happened meanwhile. */
  | { readonly kind: 'missed' }

export interface Notices {
  publish(notice: Notice): Promise<void>
  /** The notices of all other processes; returns how to stop. */
  subscribe(listener: (notice: Notice) => void): () => void
}

/** The log at rest: rows of flushed batches. */
export interface Segments {
  /**
   * All of them in one transaction. An append whose fence no longer holds, or whose place is taken, is left out and
   * answered with false; the others stand.
   */
  append(appends: readonly Append[]): Promise<readonly boolean[]>
  /** Rows that hold anything after `after`, in order, up to about `bytes` (always at least one row). */
  read(thread_id: string, after: number, bytes: number): Promise<readonly Segment[]>
  last(thread_id: string): Promise<number>
  /** Puts other rows in the place of those from `first` to `last`. For compaction. */
  replace(thread_id: string, first: number, last: number, segments: readonly Segment[]): Promise<void>
  remove(thread_id: string): Promise<void>
}

/** A flushed batch: SSE frames, ready for the wire, that cover the positions `first` to `last`. */
export interface Segment {
  readonly first: number
  readonly last: number
  readonly bytes: Uint8Array
}

export interface Append extends Segment {
  readonly thread_id: string
  /** Only while this attempt holds the run: a zombie's append is refused. */
  readonly fence?: Fence
  /** Ends the run in the same transaction, so that its status and its last envelope agree. */
  readonly settle?: Settlement
}

export interface Fence {
  readonly run_id: string
  readonly attempt: number
}

export interface Settlement {
  readonly status: RunStatus
  readonly thread_status: ThreadStatus
  readonly error: RunError | null
  readonly at: string
}

/** How a thread stands, after its newest run. */
export type ThreadStatus = 'idle' | 'busy' | 'interrupted' | 'error'

/** A conversation with its log, its runs and its state. */
export interface Thread {
  readonly thread_id: string
  readonly title: string | null
  readonly agent: string | null
  readonly status: ThreadStatus
  readonly created_at: string
  readonly updated_at: string
  /** Who may see it; null when the service asks nobody who they are. */
  readonly owner: string | null
  readonly metadata: JsonObject
}

export interface ThreadFilter {
  readonly owner?: string
  readonly status?: ThreadStatus
  /** Part of the title or the id. */
  readonly query?: string
  readonly limit: number
  /** Only threads older than this cursor, as `updated_at` and `thread_id` of the last one seen. */
  readonly before?: { readonly updated_at: string; readonly thread_id: string }
}

export interface Threads {
  /** False when the id is taken. */
  insert(thread: Thread): Promise<boolean>
  get(thread_id: string): Promise<Thread | null>
  list(filter: ThreadFilter): Promise<readonly Thread[]>
  update(thread_id: string, change: Partial<Omit<Thread, 'thread_id'>>): Promise<void>
  /** With its runs and its log. */
  remove(thread_id: string): Promise<void>
}

/** How a run stands. `interrupted` is over, too: the answer starts the next run of its trace. */
export type RunStatus = 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'cancelled'

export interface RunError {
  readonly name: string
  readonly message: string
}

/** What was asked for, as it was asked. */
export type Request = {
  readonly config?: RunConfig & { readonly deadline_seconds?: number }
  readonly tools?: readonly FrontendTool[]
  readonly on_disconnect?: 'continue' | 'cancel'
} & (
  | { readonly kind: 'input'; readonly input: Json }
  | { readonly kind: 'resume'; readonly answers: readonly Answer[] }
)

/** A run, from its request to its end. */
export interface Run {
  readonly run_id: string
  readonly thread_id: string
  readonly trace_id: string
  readonly agent: string
  readonly status: RunStatus
  readonly request: Request
  /** 0 until a worker has taken it; more than 1 when another worker had to go on. */
  readonly attempt: number
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
  /** Not before this moment; when it is the moment of creation, at once. */
  readonly run_at: string
  readonly cron_id: string | null
  readonly error: RunError | null
  /** How often a worker died with it. */
  readonly crashes: number
  /** The log's length when the run was first taken up: its envelopes come after it. Null until then. */
  readonly position: number | null
  /** The log's length when it ended. Null until then. */
  readonly end_position: number | null
  /** The thread's checkpoint when the run was first taken up; a newer one means that it got somewhere. */
  readonly base_checkpoint: string | null
}

export interface Runs {
  /** False when the id is taken, or when the trace has a run that is not over: a pause is answered once. */
  insert(run: Run): Promise<boolean>
  get(run_id: string): Promise<Run | null>
  /** Newest first. */
  list(thread_id: string, limit: number): Promise<readonly Run[]>
  /** Runs of the thread that are pending or running, the oldest first. */
  active(thread_id: string): Promise<readonly Run[]>
  /** Runs on any thread, or on those of one owner, that wait or run: the one that is due first comes first. */
  unfinished(status: 'pending' | 'running', limit: number, owner?: string): Promise<readonly Run[]>
  /** The runs of a trace, the oldest first. */
  trace(trace_id: string): Promise<readonly Run[]>
  /**
   * Takes the oldest run that is due, on a thread where nothing runs, or one whose worker has lost its lease; with the
   * attempt (and in the latter case the crashes) counted up and the thread busy. Null when there is none.
   */
  claim(worker: string, now: string, lease_until: string): Promise<Run | null>
  /** Prolongs the leases of a worker; answers with the runs that it still holds. */
  renew(worker: string, lease_until: string): Promise<readonly Fence[]>
  /** Notes where a run begins, once, when its first attempt begins. */
  begin(fence: Fence, position: number, base_checkpoint: string | null): Promise<void>
  /** Gives a run back: pending again, to be taken up by anyone. */
  release(fence: Fence): Promise<boolean>
  /** Ends one's own lease at once, as if the process had died with the run: whoever takes it up counts a crash. */
  abandon(fence: Fence): Promise<void>
  /** Ends a run that no worker has. False when a worker has it or it is over. */
  cancelPending(run_id: string, at: string): Promise<boolean>
  /** Ends the lease of every worker: the store was opened by the only process that can use it. */
  orphan(): Promise<number>
  /** When the first of the pending runs that are due later than `after` is. */
  nextDue(after: string): Promise<string | null>
  /** Runs that ended for good at `before` or earlier and are not noted as compacted, the oldest first. */
  whole(before: string, limit: number): Promise<readonly Run[]>
  /** Notes that the log of a run is as small as it gets. */
  compacted(run_id: string): Promise<void>
  /** How many wait. Asked for often: must not look at those that are over. */
  pending(): Promise<number>
}

/** A run that starts again and again. */
export interface Cron {
  readonly cron_id: string
  readonly schedule: string
  readonly timezone: string
  /** Null: a new thread for each tick. */
  readonly thread_id: string | null
  readonly agent: string
  readonly input: Json
  readonly on_overlap: 'skip' | 'enqueue' | 'cancel'
  readonly created_at: string
  readonly next_at: string
  readonly last_at: string | null
  readonly last_run_id: string | null
  readonly owner: string | null
}

export interface Crons {
  insert(cron: Cron): Promise<boolean>
  get(cron_id: string): Promise<Cron | null>
  list(owner?: string): Promise<readonly Cron[]>
  remove(cron_id: string): Promise<boolean>
  /** Crons whose `next_at` has come. */
  due(now: string): Promise<readonly Cron[]>
  /** Moves a cron on, if nobody else has: that process creates the run. */
  advance(cron: Cron, next_at: string, run_id: string | null, at: string): Promise<boolean>
}
