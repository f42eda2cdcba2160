import {
  createdRunSchema,
  runSchema,
  runsSchema,
  type CreatedRun,
  type CreateRun,
  type Run,
} from './resources/run.ts'
import { searchOf } from './search-of.ts'
import type { RequestOptions, Transport } from './transport.ts'

export interface ListRuns extends RequestOptions {
  /** Default 100, at most 1,000. */
  readonly limit?: number
  /** With their inputs, as far as these fit into 4 MiB. Default false: `get` has that of a run. */
  readonly inputs?: boolean
}

export interface CancelRuns extends RequestOptions {
  /** Also those that are to start later. Default false. */
  readonly scheduled?: boolean
}

/** Runs: they go on in the background, whether anyone follows or not. */
export interface Runs {
  /** Starts a run, now or later, or answers an interrupt. Follow the thread after `position` to see it. */
  readonly create: (thread: string, run: CreateRun, options?: RequestOptions) => Promise<CreatedRun>
  readonly get: (thread: string, run: string, options?: RequestOptions) => Promise<Run>
  /** The newest first. */
  readonly list: (thread: string, which?: ListRuns) => Promise<readonly Run[]>
  /** Of all threads: what waits for its time or its turn, or runs. What is due first comes first. */
  readonly unfinished: (status: 'pending' | 'running', which?: ListRuns) => Promise<readonly Run[]>
  /** Resolves when it is over. */
  readonly cancel: (thread: string, run: string, options?: RequestOptions) => Promise<Run>
  /** Cancels what runs on a thread and what waits for its turn there; resolves with those runs when all are over. */
  readonly cancelAll: (thread: string, which?: CancelRuns) => Promise<readonly Run[]>
}

export function createRuns({ get, send }: Transport): Runs {
  const at = (thread: string): string => `/api/threads/${encodeURIComponent(thread)}/runs`
  const one = (thread: string, run: string): string => `${at(thread)}/${encodeURIComponent(run)}`
  const list = async (path: string, signal: AbortSignal | undefined): Promise<readonly Run[]> =>
    (await get(runsSchema, path, signal && { signal })).runs
  return {
    create: (thread, run, options) => send(createdRunSchema, 'POST', at(thread), run, options),
    get: (thread, run, options) => get(runSchema, one(thread, run), options),
    list: (thread, { signal, ...which } = {}) => list(at(thread) + searchOf(which), signal),
    unfinished: (status, { signal, ...which } = {}) =>
      list(`/api/runs${searchOf({ status, ...which })}`, signal),
    cancel: (thread, run, options) => send(runSchema, 'POST', `${one(thread, run)}/cancel`, {}, options),
    async cancelAll(thread, { signal, ...which } = {}) {
      const path = `/api/threads/${encodeURIComponent(thread)}/cancel${searchOf(which)}`
      return (await send(runsSchema, 'POST', path, {}, signal && { signal })).runs
    },
  }
}
