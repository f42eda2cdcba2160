import type { Entry } from '@clewline/core'
import { createCrons, type Crons } from './crons.ts'
import { followChanges } from './follow/follow-changes.ts'
import type { ConnectionOptions } from './follow/follow-events.ts'
import { followThread, type FollowOptions } from './follow/follow-thread.ts'
import { stoppable } from './follow/stoppable.ts'
import type { Change } from './resources/change.ts'
import { agentsSchema, serviceInfoSchema, type Agent, type ServiceInfo } from './resources/service.ts'
import { createRuns, type Runs } from './runs.ts'
import { createThreads, type Threads } from './threads.ts'
import { createTransport, type ClientOptions, type RequestOptions } from './transport.ts'

/** A Clewline server, typed. Methods reject with a `ClewlineError`: the server's code and hint, or `unavailable`. */
export interface Client {
  readonly threads: Threads
  readonly runs: Runs
  readonly crons: Crons
  readonly agents: (options?: RequestOptions) => Promise<readonly Agent[]>
  readonly info: (options?: RequestOptions) => Promise<ServiceInfo>
  /**
   * The envelopes of a thread: what is there, then what comes, across runs, restarts of the server and lost connections,
   * each exactly once. Ends when `signal` aborts or the loop breaks; throws what asking again would not change.
   */
  readonly follow: (thread: string, options?: FollowOptions) => AsyncIterable<readonly Entry[]>
  /** As `follow`, but ends where the log ends now. */
  readonly read: (thread: string, options?: FollowOptions) => AsyncIterable<readonly Entry[]>
  /** Threads, runs and crons as they change, for lists. Not logged: after each `live` ask for the lists again. */
  readonly changes: (options?: ConnectionOptions) => AsyncIterable<Change>
}

/** A client of a Clewline server. Web standards only: it runs in browsers, Node, Bun, Deno and on the edge. */
export function createClient(options: ClientOptions = {}): Client {
  const transport = createTransport(options)
  return {
    threads: createThreads(transport),
    runs: createRuns(transport),
    crons: createCrons(transport),
    agents: async (options) => (await transport.get(agentsSchema, '/api/agents', options)).agents,
    info: (options) => transport.get(serviceInfoSchema, '/info', options),
    follow: (thread, options = {}) =>
      stoppable((signal) => followThread(transport, thread, { ...options, signal }, false), options.signal),
    read: (thread, options = {}) =>
      stoppable((signal) => followThread(transport, thread, { ...options, signal }, true), options.signal),
    changes: (options = {}) =>
      stoppable((signal) => followChanges(transport, { ...options, signal }), options.signal),
  }
}
