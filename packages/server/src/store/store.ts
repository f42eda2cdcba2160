import type { Json, JsonObject } from '@clewline/core'
import type { Answer, FrontendTool, RunConfig } from '@clewline/core/source'

/**
 * What the runtime needs to remember. Everything is a promise so that a store across a network fits; every method is
 * one transaction. Times are ISO 8601 in UTC, which also order as text, and all of them are by one clock, the store's:
 * the clocks of the processes that use it need not agree. The conformance suite is `@clewline/server/testing`.
 */
export type Store = StoreBody & (ExclusiveStore | SharedStore)

/** Used by one process at a time. Its runs that are `running` when it is opened were left by a process that is gone. */
export interface ExclusiveStore {
  readonly isShared: false
}

/** Used by several processes at once. */
export interface SharedStore {
  readonly isShared: true
  readonly notices: Notices
}

interface StoreBody {
  /** What it is, for `GET /info`: `sqlite`, `postgres`, or a name of your own. */
  readonly kind: string
  /** LangGraph's own store of states (a `BaseCheckpointSaver`), opaque to the runtime. */
  readonly checkpointer: unknown
  readonly segments: SegmentStore
  readonly threads: ThreadStore
  readonly runs: RunStore
  readonly crons: CronStore
  /** The store's clock. */
  now(): Promise<string>
  /** Whether an error means that the store is unavailable for now, and a retry may pass. Absent: none does. */
  isUnavailable?(error: unknown): boolean
  close(): Promise<void>
}

export type Notice =
  /** The thread's log has grown to `last`. */
  | { readonly kind: 'log'; readonly thread_id: string; readonly last: number }
  /** A thread, or a run of it, is no longer what it was. */
  | { readonly kind: 'changed'; readonly thread_id: string; readonly run_id?: string }
  /** The worker that runs it must stop it. */
  | { readonly kind: 'cancel'; readonly run_id: string }
  | { readonly kind: 'removed'; readonly thread_id: string; readonly owner: string | null }
  /** A cron was created, or has ticked. */
  | { readonly kind: 'cron'; readonly cron_id: string }
  /** The connection was lost for a while: notices of any kind may be missing. */
  | { readonly kind: 'missed' }

/** How processes that share a store notify each other. At most once: a lost notice costs time, never data. */
export interface Notices {
  publish(notice: Notice): Promise<void>
  /** The notices of all other processes; returns how to stop. */
  subscribe(listener: (notice: Notice) => void): () => void
}

/** The log at rest: rows of flushed batches. */
export interface SegmentStore {
  /**
   * All of them in one transaction. An append whose fence no longer holds, or whose place is taken, is left out and
   * answered with false; the others stand.
   */
  append(appends: readonly Append[]): Promise<readonly boolean[]>
  /** Rows that hold anything after `after`, in order, up to about `bytes` (always at least one row). */
  read(thread_id: string, after: number, bytes: number): Promise<readonly Segment[]>
  last(thread_id: string): Promise<number>
  /** Puts other rows in the place of those from `first` to `last`. For compaction. */
  replace(thread_id: string, first: number, last: number, segments: readonly NewSegment[]): Promise<void>
  /** With its index of parts. */
  remove(thread_id: string): Promise<void>
  /** Names of the parts that stand in rows up to the one that ends at `last`. */
  partNames(thread_id: string, last: number): Promise<readonly string[]>
  /**
   * The rows in which these parts stand, and up to `bytes` of the nearest rows before them that have parts, too: a part
   * refers to parts before it. In order. A name that the thread does not have is left out.
   */
  rowsOfParts(thread_id: string, names: readonly string[], bytes: number): Promise<readonly Segment[]>
}

/** A flushed batch: SSE frames, ready for the wire, that cover the positions `first` to `last`. */
export interface Segment {
  readonly first: number
  readonly last: number
  readonly bytes: Uint8Array
}

/** A row on its way into the store. */
export interface NewSegment extends Segment {
  /** Names of the parts among its frames, for the index. Where a part stands twice, the index has the first place. */
  readonly parts?: readonly string[]
}

export interface Append extends NewSegment {
  readonly thread_id: string
  /** The fencing token: the append is refused unless this attempt still holds the run. */
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
  /** Who may see it; null without authentication. */
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

export interface ThreadStore {
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
  /** The authenticated user who asked; null when the service does not know its users. Absent in what version 1 stored. */
  readonly by?: string | null
} & (
  | { readonly kind: 'input'; readonly input: Json }
  /** `question` is the interrupt that an answer without an id is for. */
  | { readonly kind: 'resume'; readonly answers: readonly Answer[]; readonly question?: string }
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

export interface RunStore {
  /** False when the id is taken, or when the trace has a run that is not over: an interrupt is answered once. */
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
   * Takes the oldest run that is due, on a thread where nothing runs, or one whose lease has expired; with the attempt
   * (and in the latter case the crashes) counted up, the lease set and the thread busy. Null when there is none.
   */
  claim(worker: string, leaseMs: number): Promise<Run | null>
  /** Sets the leases of a worker to `leaseMs` from now, expired or not; resolves with the runs that it still holds. */
  renew(worker: string, leaseMs: number): Promise<readonly Fence[]>
  /** Notes where a run begins, once, when its first attempt begins. */
  begin(fence: Fence, position: number, base_checkpoint: string | null): Promise<void>
  /** Gives a run back: pending again, for any worker to claim. */
  release(fence: Fence): Promise<boolean>
  /** Expires one lease at once, as if the process had died with the run: the next claim counts a crash. */
  expireLease(fence: Fence): Promise<void>
  /** Expires every lease, of all workers; resolves with how many. For a store that is not shared, when it is opened. */
  expireAllLeases(): Promise<number>
  /** Ends a run that no worker has. False when a worker has it or it is over. */
  cancelPending(run_id: string): Promise<boolean>
  /** Milliseconds until the first of the pending runs that are not due yet is; null when there is none. */
  nextDue(): Promise<number | null>
  /** Runs that ended for good `afterMs` ago or earlier and are not marked as compacted, the oldest first. */
  dueForCompaction(afterMs: number, limit: number): Promise<readonly Run[]>
  /** The log of the run is as small as it gets. */
  markCompacted(run_id: string): Promise<void>
  /** How many are pending. Asked for often: must not scan those that are over. */
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

export interface CronStore {
  insert(cron: Cron): Promise<boolean>
  get(cron_id: string): Promise<Cron | null>
  list(owner?: string): Promise<readonly Cron[]>
  remove(cron_id: string): Promise<boolean>
  /** Crons whose `next_at` has come. */
  due(): Promise<readonly Cron[]>
  /** Compare and set: moves a cron on from `cron.next_at`. False when another process has. */
  advance(cron: Cron, next_at: string, run_id: string | null): Promise<boolean>
}
