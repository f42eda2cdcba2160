export { callId } from './call-id.ts'
export type { CallPath, Draft } from './draft.ts'
export { createLedger } from './ledger.ts'
export type { Ending, Ledger, LedgerOptions } from './ledger.ts'
export type {
  Answer,
  FrontendTool,
  RunConfig,
  RunContext,
  RunOutcome,
  RunRequest,
  Source,
  SourceCheckpoint,
  SourceDescription,
  SourceState,
  ThreadContext,
} from './source.ts'
export { withCompletionSignal } from './with-completion-signal.ts'
export type { CompletionSignal } from './with-completion-signal.ts'
