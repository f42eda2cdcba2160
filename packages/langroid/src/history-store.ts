import type { JsonObject, Message } from '@clewline/core'
import type { LLMMessage } from './llm-message.ts'

/** What a thread must not forget. */
export interface ThreadRecord {
  /** What the model remembers, without the system message. */
  readonly messages: readonly LLMMessage[]
  /** What people saw: no calls that the model made up, no tools written as text. */
  readonly shown: readonly Message[]
  /** The state that client and agent share. */
  readonly state: JsonObject
  /** Ids of backend calls that ran, newest last: a client cannot answer them again. */
  readonly executed: readonly string[]
  /** The run that wrote it, and how many model calls it had made: where `recover` goes on. */
  readonly progress: { readonly trace_id: string; readonly turn: number } | null
}

/** Keeps records beyond the life of this process. Without one they live in memory. */
export interface HistoryStore {
  load(thread: string): Promise<ThreadRecord | undefined>
  /** May resolve with the id of a checkpoint, from which the thread can be forked. */
  save(thread: string, record: ThreadRecord): Promise<string | void>
}

export const emptyRecord: ThreadRecord = { messages: [], shown: [], state: {}, executed: [], progress: null }
