export { coerce } from './coerce.ts'
export type { CoerceLimits } from './coerce.ts'
export type {
  CallKind,
  Completion,
  Delta,
  Envelope,
  EnvelopeType,
  Interrupt,
  Message,
  Todo,
  ToolCall,
  Usage,
} from './envelope.ts'
export { envelopeSchema } from './envelope-schema.ts'
export type { Entry, EventLog, ReadOptions } from './event-log.ts'
export type { Json, JsonObject } from './json.ts'
export { memoryLog } from './memory-log.ts'
export { parseEnvelope } from './parse-envelope.ts'
export { parseJsonl, readJsonl } from './parse-jsonl.ts'
export { sample } from './sample.ts'
export type { Clock, SampleOptions } from './sample.ts'
export { createSampler } from './sampler.ts'
export type { Profile, Sampler, SamplerOptions } from './sampler.ts'
export { SkeinError } from './skein-error.ts'
export type { SkeinErrorCode } from './skein-error.ts'
export { createVerifier, verify } from './verify.ts'
export type { Rule, Verifier, VerifyOptions, Violation } from './verify.ts'
