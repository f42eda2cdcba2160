import type { Cron, Run, Thread } from '../store/store.ts'

/** What happened in the service as a whole; the envelopes of a run are in its thread's log. */
export type Change =
  | { readonly type: 'thread'; readonly thread: Thread }
  | { readonly type: 'thread_removed'; readonly thread_id: string; readonly owner: string | null }
  | { readonly type: 'run'; readonly run: Run; readonly owner: string | null }
  | { readonly type: 'cron'; readonly cron: Cron }

export interface Bus {
  publish(change: Change): void
  /** Returns how to stop. */
  subscribe(listener: (change: Change) => void): () => void
}

export function createBus(): Bus {
  const listeners = new Set<(change: Change) => void>()
  return {
    publish(change) {
      for (const listener of listeners) listener(change)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
