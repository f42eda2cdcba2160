export { coerce } from './coerce.ts'
export type {
  CallKind,
  Completion,
  Delta,
  Envelope,
  Interrupt,
  Message,
  Todo,
  ToolCall,
  Usage,
} from './envelope.ts'
export type { Entry, EventLog, ReadOptions } from './event-log.ts'
export type { Json, JsonObject } from './json.ts'
export { memoryLog } from './memory-log.ts'
export { parseEnvelope } from './parse-envelope.ts'
export { parseJsonl } from './parse-jsonl.ts'
export { sample } from './sample.ts'
export { createSampler } from './sampler.ts'
export type { Profile, Sampler } from './sampler.ts'
export { ClewlineError } from './clewline-error.ts'
export type { ClewlineErrorCode } from './clewline-error.ts'
export { verify } from './verify.ts'
