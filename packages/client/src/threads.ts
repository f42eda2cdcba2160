import type { JsonObject } from '@clewline/core'
import {
  checkpointPageSchema,
  threadPageSchema,
  threadSchema,
  threadStateSchema,
  type Checkpoint,
  type CreateThread,
  type ForkThread,
  type Thread,
  type ThreadPage,
  type ThreadState,
  type ThreadStatus,
  type UpdateThread,
} from './resources/thread.ts'
import { searchOf } from './search-of.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** Which threads to list. */
export interface ListThreads extends RequestOptions {
  /** Words in the title. */
  readonly query?: string
  readonly status?: ThreadStatus
  /** Default 50, at most 200. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly before?: string
}

export interface ListCheckpoints extends RequestOptions {
  /** At most 500. */
  readonly limit?: number
  /** A `checkpoint_id`: only states from before it. */
  readonly before?: string
}

export interface ImportThread extends RequestOptions {
  readonly thread_id?: string
  readonly title?: string
}

/** Threads, their state and their logs. */
export interface Threads {
  /** Idempotent when it has a `thread_id`. */
  readonly create: (thread?: CreateThread, options?: RequestOptions) => Promise<Thread>
  readonly get: (thread: string, options?: RequestOptions) => Promise<Thread>
  /** The newest first. */
  readonly list: (which?: ListThreads) => Promise<ThreadPage>
  readonly update: (thread: string, change: UpdateThread, options?: RequestOptions) => Promise<Thread>
  /** Deletes it with its runs, its log and its states. */
  readonly delete: (thread: string, options?: RequestOptions) => Promise<void>
  readonly state: (thread: string, options?: RequestOptions) => Promise<ThreadState>
  /** Writes values into the state, as the agent's own reducers take them. */
  readonly updateState: (thread: string, values: JsonObject, options?: RequestOptions) => Promise<ThreadState>
  /** The states that it can be forked from, the newest first: at most `limit` (default 500), from before a checkpoint. */
  readonly checkpoints: (thread: string, which?: ListCheckpoints) => Promise<readonly Checkpoint[]>
  /** A new thread that begins where this one was. */
  readonly fork: (thread: string, from?: ForkThread, options?: RequestOptions) => Promise<Thread>
  /** The whole log as JSONL: `text()`, `blob()`, or `body` to stream it. */
  readonly export: (thread: string, options?: RequestOptions) => Promise<Response>
  /** A new thread of a log that was exported. All or nothing: a log that breaks the protocol is refused. */
  readonly import: (jsonl: string | Blob, options?: ImportThread) => Promise<Thread>
}

export function createThreads({ ask, get, send, remove, request }: Transport): Threads {
  const at = (thread: string): string => `/api/threads/${encodeURIComponent(thread)}`
  return {
    create: (thread = {}, options) => send(threadSchema, 'POST', '/api/threads', thread, options),
    get: (thread, options) => get(threadSchema, at(thread), options),
    list: ({ signal, ...which } = {}) =>
      get(threadPageSchema, `/api/threads${searchOf(which)}`, signal && { signal }),
    update: (thread, change, options) => send(threadSchema, 'PATCH', at(thread), change, options),
    delete: (thread, options) => remove(at(thread), options),
    state: (thread, options) => get(threadStateSchema, `${at(thread)}/state`, options),
    updateState: (thread, values, options) =>
      send(threadStateSchema, 'PATCH', `${at(thread)}/state`, { values }, options),
    async checkpoints(thread, { signal, limit = 500, before } = {}) {
      const path = `${at(thread)}/checkpoints${searchOf({ limit, before })}`
      return (await get(checkpointPageSchema, path, signal && { signal })).checkpoints
    },
    fork: (thread, from = {}, options) => send(threadSchema, 'POST', `${at(thread)}/fork`, from, options),
    export: (thread, { signal = null } = {}) => request(`${at(thread)}/export`, { signal }),
    import: (jsonl, { signal = null, ...as } = {}) =>
      ask(threadSchema, `/api/threads/import${searchOf(as)}`, {
        method: 'POST',
        body: jsonl,
        headers: { 'content-type': 'application/x-ndjson' },
        signal,
      }),
  }
}
