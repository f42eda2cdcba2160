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

export interface Settlement {
  readonly status: RunStatus
  readonly thread_status: ThreadStatus
  readonly error: RunError | null
}
