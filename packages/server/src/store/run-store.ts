import type { Json } from '@clewline/core'
import type { Answer, FrontendTool, RunConfig, RunUser } from '@clewline/core/source'

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

/** A run and the attempt that holds it: what an earlier attempt does to the run is refused. */
export interface Fence {
  readonly run_id: string
  readonly attempt: number
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
