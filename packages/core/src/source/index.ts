export { callId } from './call-id.ts'
export type { CallPath, Draft } from './draft.ts'
export { driveRun } from './drive-run.ts'
export type { DriveOptions } from './drive-run.ts'
export { createLedger } from './ledger.ts'
export type { Ending, Ledger, LedgerOptions } from './ledger.ts'
export type {
  Answer,
  CheckpointsPage,
  FrontendTool,
  RunConfig,
  RunContext,
  RunOutcome,
  RunRequest,
  RunUser,
  Source,
  SourceCheckpoint,
  SourceDescription,
  SourceState,
  ThreadContext,
} from './source.ts'
export { streamRun } from './stream-run.ts'
export type { StreamRunOptions } from './stream-run.ts'
export { threadPool } from './thread-pool.ts'
export type { ThreadPool } from './thread-pool.ts'
export { withCompletionSignal } from './with-completion-signal.ts'
export type { CompletionSignal } from './with-completion-signal.ts'
