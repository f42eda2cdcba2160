import type { JsonObject } from '@clewline/core'

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
