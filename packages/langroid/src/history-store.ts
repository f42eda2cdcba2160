import type { Interrupt, Json, JsonObject, Message } from '@clewline/core'
import type { BackendInput } from './backend.ts'
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
  /** What the backend remembers besides `messages`: the histories of sub-agents. Opaque here. */
  readonly memory?: Json
  /** The run that wrote it and is not over: where `recover` and `resume` go on. */
  readonly progress: Progress | null
}

/** How far a run has come. */
interface Progress {
  readonly trace_id: string
  /** Model calls that it had made. */
  readonly turn: number
  /** Of a backend that journals: what the run began with, and what it has done since. */
  readonly replay?: Replay
  /** The question in which it stopped. */
  readonly question?: Interrupt
}

export interface Replay {
  readonly history: readonly LLMMessage[]
  readonly prompt: BackendInput
  readonly journal: readonly Json[]
  /** The main agent's messages as they are in mid-run: calls may be open, unlike in the record's own. */
  readonly messages: readonly LLMMessage[]
}

/** Keeps records beyond the life of this process. Without one they live in memory. */
export interface HistoryStore {
  load(thread: string): Promise<ThreadRecord | undefined>
  /** May resolve with the id of a checkpoint, from which the thread can be forked. */
  save(thread: string, record: ThreadRecord): Promise<string | void>
}

export const emptyRecord: ThreadRecord = { messages: [], shown: [], state: {}, executed: [], progress: null }
