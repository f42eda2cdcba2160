import type { Entry, Json } from '@clewline/core'
import type { Answer } from '@clewline/core/source'

/** What the commands need of a Clewline, in this process or behind a URL. */
export interface Target {
  /** Makes the thread, or finds it by its id. */
  thread(thread_id: string | undefined): Promise<string>
  start(thread_id: string, run: StartRun): Promise<{ readonly run_id: string; readonly position: number }>
  run(thread_id: string, run_id: string): Promise<RunState>
  cancel(thread_id: string, run_id: string): Promise<void>
  /** Position of the newest envelope. Throws when there is no such thread. */
  last(thread_id: string): Promise<number>
  read(thread_id: string, options: ReadThread): AsyncIterable<readonly Entry[]>
  close(): Promise<void>
}

/** What to run: an agent on its input, or on the answers that it waits for. */
export type StartRun = { readonly agent: string } & (
  | { readonly input: Json }
  | { readonly resume: readonly Answer[] }
)

/** How a run stands. */
export interface RunState {
  readonly status: 'pending' | 'running' | 'success' | 'error' | 'interrupted' | 'cancelled'
  readonly error?: { readonly name: string; readonly message: string } | null
}

/** Which entries of a thread to read. */
export interface ReadThread {
  readonly after: number
  readonly follow: boolean
  readonly signal: AbortSignal
}
