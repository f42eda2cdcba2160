export { defineConfig } from './config/define-config.ts'
export type { Config, ConfigContext, ConfigInput } from './config/define-config.ts'
export { loadConfig } from './config/load-config.ts'
export { createClewline } from './create-clewline.ts'
export type { Clewline, ClewlineOptions } from './create-clewline.ts'
export { nodeHandler } from './node-handler.ts'
export { serve } from './serve.ts'
export type { ServeOptions, Serving } from './serve.ts'
export { aguiPort } from './http/agui-port.ts'
export type { Authenticate, User } from './http/authentication.ts'
export type { CloseOptions } from './runtime/create-runtime.ts'
export type { Limits, LimitsOption } from './runtime/limits.ts'
export type { CreateRun } from './runtime/runs.ts'
export type { CreateThread, ThreadState } from './runtime/threads.ts'
export type { CreateCron } from './runtime/crons.ts'
export type { CreateFork } from './runtime/fork.ts'
export type { Notice, Notices } from './store/notices.ts'
export type { EncryptionOptions } from './encrypt/cipher.ts'
export type { Redact, RedactContext, RedactWhere } from './redact/redact.ts'
export { redactSecrets } from './redact/redact-secrets.ts'
export { sqliteStore } from './store/sqlite/sqlite-store.ts'
export type {
  Append,
  Cron,
  CronStore,
  Fence,
  OwnerCount,
  Priority,
  Run,
  RunStatus,
  RunStore,
  Segment,
  SegmentStore,
  Settlement,
  Store,
  Thread,
  ThreadFilter,
  ThreadStatus,
  ThreadStore,
  Turn,
} from './store/store.ts'
