export { ClewlineError, HTTP_STATUS } from './clewline-error.ts'
export type { ClewlineErrorCode } from './clewline-error.ts'
export { coerce } from './coerce.ts'
export { PROTOCOL } from './envelope.ts'
export type {
  CallKind,
  Completion,
  Decision,
  Delta,
  Envelope,
  Interrupt,
  Message,
  ModelInput,
  RawMessage,
  Redactions,
  Todo,
  ToolCall,
  Usage,
} from './envelope.ts'
export type { Entry, EventLog, ReadOptions } from './event-log.ts'
export { isRecord } from './is-record.ts'
export type { Json, JsonObject } from './json.ts'
export { memoryLog } from './memory-log.ts'
export { createQueue } from './queue.ts'
export type { Queue, QueueOptions } from './queue.ts'
export { sleep } from './sleep.ts'
export { within } from './within.ts'
