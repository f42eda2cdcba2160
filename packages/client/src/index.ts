export { ClewlineError } from '@clewline/core'
export type { Entry, Envelope, Json, JsonObject } from '@clewline/core'
export type { Answer } from '@clewline/core/source'
export { createClient } from './create-client.ts'
export type { Client } from './create-client.ts'
export type { Crons } from './crons.ts'
export type { ConnectionOptions, ConnectionStatus } from './follow/follow-events.ts'
export type { FollowOptions } from './follow/follow-thread.ts'
export { createIntake } from './follow/intake.ts'
export type { Gap, Intake, IntakeCount } from './follow/intake.ts'
export type { Change } from './resources/change.ts'
export type { CreateCron, Cron, CronPage } from './resources/cron.ts'
export type { CreatedRun, CreateRun, FrontendTool, Priority, Run, RunStatus } from './resources/run.ts'
export type { Agent, Price, ServiceInfo } from './resources/service.ts'
export type {
  Checkpoint,
  CheckpointPage,
  CreateThread,
  ForkThread,
  Thread,
  ThreadPage,
  ThreadState,
  ThreadStatus,
  UpdateThread,
} from './resources/thread.ts'
export type { Runs } from './runs.ts'
export type { Threads } from './threads.ts'
export type { ClientOptions, RequestOptions } from './transport.ts'
