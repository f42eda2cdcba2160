/** What a process lets the others know that use its store. */
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
  /** Whether notices of others arrive now. Absent: always. */
  isConnected?(): boolean
  publish(notice: Notice): Promise<void>
  /** The notices of all other processes; returns how to stop. */
  subscribe(listener: (notice: Notice) => void): () => void
}
