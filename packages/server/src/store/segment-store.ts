import type { Fence, RunError, RunStatus } from './run-store.ts'
import type { ThreadStatus } from './thread-store.ts'

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
  replace(thread_id: string, first: number, last: number, segments: readonly Segment[]): Promise<boolean>
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
  /** The fencing token: the append is refused unless this attempt still holds the run. */
  readonly fence?: Fence
  /** Ends the run in the same transaction, so that its status and its last envelope agree. */
  readonly settle?: Settlement
}

export interface Settlement {
  readonly status: RunStatus
  readonly thread_status: ThreadStatus
  readonly error: RunError | null
}
