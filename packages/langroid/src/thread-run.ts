import type { RunContext, RunRequest } from '@clewline/core/source'
import type { Backend } from './backend.ts'
import type { LangroidAgentConfig } from './config.ts'
import type { HistoryStore, ThreadRecord } from './history-store.ts'

/** One run of a thread: what it was asked, and what it works with. */
export interface ThreadRun {
  readonly name: string
  readonly backend: Backend
  readonly config: LangroidAgentConfig
  readonly history: HistoryStore | undefined
  /** Where the thread stood when the run began. */
  readonly checkpoint_id: string | null
  /** The thread's memory, locked for this run. */
  readonly slot: { record: ThreadRecord }
  readonly request: RunRequest
  readonly context: RunContext
}
