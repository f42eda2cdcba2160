import type { CronStore } from './cron-store.ts'
import type { Notices } from './notices.ts'
import type { RunStore } from './run-store.ts'
import type { SegmentStore } from './segment-store.ts'
import type { ThreadStore } from './thread-store.ts'

export type { Cron, CronPlace, CronsPage, CronStore } from './cron-store.ts'
export type {
  Fence,
  OwnerCount,
  Priority,
  Request,
  Run,
  RunError,
  RunStatus,
  RunStore,
  RunSummary,
  Turn,
} from './run-store.ts'
export type { Append, NewSegment, Segment, SegmentStore, Settlement } from './segment-store.ts'
export type { Thread, ThreadFilter, ThreadStatus, ThreadStore } from './thread-store.ts'

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
