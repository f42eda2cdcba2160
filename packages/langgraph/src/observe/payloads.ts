import type { Envelope } from '@clewline/core'

type PayloadOf<T extends Envelope['type']> = Extract<Envelope, { type: T }>['payload']

export type LlmToken = PayloadOf<'llm_token'>
export type LlmEnd = PayloadOf<'llm_end'>
export type Failure = PayloadOf<'error'>
export type Update = PayloadOf<'tool_update'>
