import { ClewlineError } from '@clewline/core'
import type { AgentDescription, Threads } from '../threads.ts'
import { openRun } from './open-run.ts'
import { openThread } from './open-thread.ts'
import type { Cursor } from './open-thread.ts'
import { parseInput } from './parse-input.ts'
import { runRequest } from './run-request.ts'
import { streamEvents } from './stream-events.ts'
import type { Batch } from './stream-events.ts'

/** Where threads live, and what of `forwardedProps` reaches the agent. */
export interface AguiStreamsOptions {
  readonly threads: Threads
  /** Keys of `forwardedProps` that reach the agent. None by default: the client is untrusted. */
  readonly forward?: readonly string[]
  readonly newId?: () => string
}

/** What a transport knows of the client beside its input. */
export interface StreamRequest {
  /** AG-UI version of the client, when its input does not have it. */
  readonly version?: string | undefined
  readonly cursor?: Cursor | null
}

/** A stream that has been granted; it begins when it is read, and ends when `signal` aborts. */
export type OpenStream = (signal: AbortSignal) => AsyncIterable<Batch>

/** Runs and connects without HTTP. A request that cannot be granted throws a `ClewlineError`. */
export interface AguiStreams {
  run(agent: string, input: unknown, request?: StreamRequest): Promise<OpenStream>
  connect(agent: string, input: unknown, request?: StreamRequest): Promise<OpenStream>
  describe(agent: string): Promise<AgentDescription>
}

/** Runs and connects as streams of AG-UI events, for hosts with a transport of their own. */
export function aguiStreams({ threads, forward = [], ...options }: AguiStreamsOptions): AguiStreams {
  const newId = options.newId ?? (() => crypto.randomUUID())

  async function describe(name: string): Promise<AgentDescription> {
    const agent = await threads.describe(name)
    if (agent === null) {
      throw new ClewlineError('unknown-agent', `No agent named "${name}".`, {
        hint: 'GET /api/agents lists those that there are.',
      })
    }
    return agent
  }

  return {
    describe,
    async run(agent, body, request = {}) {
      await describe(agent)
      const input = parseInput(body, newId)
      const thread = await threads.state(input.threadId)
      const run = runRequest(agent, input, thread, forward)
      const started = await threads.start(run)
      const version = input.protocolVersion ?? request.version
      const isResume = run.request.kind === 'resume'
      return (signal) =>
        streamEvents({
          threads,
          thread_id: input.threadId,
          signal,
          open: () => openRun({ threads, input, version, thread, started, isResume, signal }),
        })
    },
    async connect(agent, body, request = {}) {
      await describe(agent)
      const input = parseInput(body, newId)
      const version = input.protocolVersion ?? request.version
      const cursor = request.cursor ?? null
      return (signal) =>
        streamEvents({
          threads,
          thread_id: input.threadId,
          signal,
          open: () => openThread({ threads, input, version, cursor, signal }),
        })
    },
  }
}
