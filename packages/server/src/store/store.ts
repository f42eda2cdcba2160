import type { Json, JsonObject } from '@clewline/core'
import type { Answer, FrontendTool, RunConfig, RunUser } from '@clewline/core/source'
import type { Notices } from './notices.ts'

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
  /**
   * Puts other rows in the place of those from `first` to `last`, for compaction. False, and nothing is changed, when
   * the rows there do not begin and end so: the thread was removed, or another process has compacted it meanwhile.
   */
  replace(thread_id: string, first: number, last: number, segments: readonly NewSegment[]): Promise<boolean>
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
  /**
   * False when the id is taken. Atomic with it, states that another thread has left under the id are removed: a thread
   * begins empty, whoever had its id.
   */
  insert(thread: Thread): Promise<boolean>
  get(thread_id: string): Promise<Thread | null>
  list(filter: ThreadFilter): Promise<readonly Thread[]>
  update(thread_id: string, change: Partial<Omit<Thread, 'thread_id'>>): Promise<void>
  /** With its runs, its log and its states, in one transaction. */
  remove(thread_id: string): Promise<void>
  /** Bytes in the logs of an owner's threads, those of a run from its end on. */
  logBytes(owner: string | null): Promise<number>
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
  /** Who asked, as authenticated then. */
  readonly user?: RunUser
} & (
  | { readonly kind: 'input'; readonly input: Json }
  | { readonly kind: 'resume'; readonly answers: readonly Answer[] }
)

/** Which of an owner's own runs go first. It never takes the turn of another owner. */
export type Priority = 'low' | 'normal' | 'high'

/** A run, from its request to its end. */
export interface Run {
  readonly run_id: string
  readonly thread_id: string
  readonly trace_id: string
  readonly agent: string
  /** The thread's. Runs without an owner are one owner's as far as turns and limits go. */
  readonly owner: string | null
  readonly priority: Priority
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
  /** How many attempts in a row failed, or died with their worker, without getting anywhere. */
  readonly crashes: number
  /** The log's length when the run was first taken up: its envelopes come after it. Null until then. */
  readonly position: number | null
  /** The log's length when it ended. Null until then. */
  readonly end_position: number | null
  /** The thread's checkpoint when the run was first taken up; a newer one means that it got somewhere. */
  readonly base_checkpoint: string | null
}

/** A run without what was asked for, which may be megabytes. */
export interface RunSummary extends Omit<Run, 'request'> {
  readonly kind: Request['kind']
}

export interface RunStore {
  /** False when the id is taken, or when the trace has a run that is not over: an interrupt is answered once. */
  insert(run: Run): Promise<boolean>
  get(run_id: string): Promise<Run | null>
  /** Newest first. */
  list(thread_id: string, limit: number): Promise<readonly RunSummary[]>
  /** Runs of the thread that are pending or running, the oldest first. */
  active(thread_id: string): Promise<readonly RunSummary[]>
  /** Runs on any thread, or on those of one owner, that wait or run: the one that is due first comes first. */
  unfinished(status: 'pending' | 'running', limit: number, owner?: string): Promise<readonly RunSummary[]>
  /** The runs of a trace, the oldest first. */
  trace(trace_id: string): Promise<readonly RunSummary[]>
  /**
   * Takes a run whose lease has expired; otherwise one that is due, on a thread where nothing runs: round robin over the
   * owners, beginning after `turn.after`, and of an owner's runs first what was given back, then by priority and age.
   * With the attempt (and in the first case the crashes) counted up, the lease set and the thread busy. Null when there
   * is none. Must not become slow by what waits: a million pending runs are a bad day, not an outage.
   */
  claim(worker: string, leaseMs: number, turn?: Turn): Promise<Run | null>
  /**
   * Takes a run from the worker that has it, whatever its lease, with the attempt counted up: what that worker does with
   * it from now on is refused. Null when the run is over, or the fence no longer holds.
   */
  takeOver(fence: Fence, worker: string, leaseMs: number): Promise<Run | null>
  /** Sets the leases of a worker to `leaseMs` from now, expired or not; resolves with the runs that it still holds. */
  renew(worker: string, leaseMs: number): Promise<readonly Fence[]>
  /** Notes where a run begins. Idempotent: what its first attempt has noted stands. */
  begin(fence: Fence, position: number, base_checkpoint: string | null): Promise<void>
  /** Gives a run back: pending again, for any worker to claim. */
  release(fence: Fence): Promise<boolean>
  /**
   * Expires one lease, as if the process had died with the run: the next claim counts a crash. It may come `afterMs` from
   * now at the earliest (default: at once), and until then no other run of the thread is claimed.
   */
  expireLease(fence: Fence, afterMs?: number): Promise<void>
  /** The run got somewhere: its crashes count from zero again. */
  resetCrashes(fence: Fence): Promise<void>
  /**
   * Takes a run that is running though no worker holds it, because its lease has expired or it waits for its next
   * attempt: to end it. Counts an attempt, so that whoever had it is fenced off, and no crash. Null when a worker has it,
   * or it is not running.
   */
  seize(run_id: string, worker: string, leaseMs: number): Promise<Run | null>
  /** Expires every lease, of all workers; resolves with how many. For a store that is not shared, when it is opened. */
  expireAllLeases(): Promise<number>
  /** Ends a run that no worker has. False when a worker has it or it is over. */
  cancelPending(run_id: string): Promise<boolean>
  /** Milliseconds until the first run that is not due yet is, or may have its next attempt; null when there is none. */
  nextDue(): Promise<number | null>
  /** Runs that ended for good `afterMs` ago or earlier and are not marked as compacted, the oldest first. */
  dueForCompaction(afterMs: number, limit: number): Promise<readonly RunSummary[]>
  /** The log of the run is as small as it gets. */
  markCompacted(run_id: string): Promise<void>
  /** How many are pending. Asked for often: must not scan those that are over. */
  pending(): Promise<number>
  /** How many of one owner are pending, counted to `atMost`. */
  pendingOf(owner: string | null, atMost: number): Promise<number>
  /** How many are pending, and how many run, in all processes, by owner; the owners with most of them first. */
  countByOwner(status: 'pending' | 'running', owners: number): Promise<readonly OwnerCount[]>
}

/** Whose turn it is. */
export interface Turn {
  /** The owner who had the last turn; absent: none has had one. */
  readonly after?: string | null
  /** Owners who may start nothing now. */
  readonly full?: readonly (string | null)[]
}

export interface OwnerCount {
  readonly owner: string | null
  readonly count: number
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
  /** How many crons of one owner there are. */
  count(owner: string | null): Promise<number>
  remove(cron_id: string): Promise<boolean>
  /** Crons whose `next_at` has come. */
  due(): Promise<readonly Cron[]>
  /** Compare and set: moves a cron on from `cron.next_at`. False when another process has. */
  advance(cron: Cron, next_at: string, run_id: string | null): Promise<boolean>
}
