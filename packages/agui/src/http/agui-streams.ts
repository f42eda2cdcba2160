import { ClewlineError } from '@clewline/core'
import type { AgentDescription, Threads } from '../threads.ts'
import { connectEvents } from './connect-events.ts'
import type { Cursor } from './connect-events.ts'
import type { Batch } from './encode.ts'
import { parseInput } from './parse-input.ts'
import { runEvents } from './run-events.ts'
import { runRequest } from './run-request.ts'
import { withRunError } from './with-run-error.ts'

/** Where threads live, and what of `forwardedProps` reaches the agent. */
export interface AguiStreamsOptions {
  readonly threads: Threads
  /** Keys of `forwardedProps` that reach the agent. None by default: they come from whoever holds the client. */
  readonly forward?: readonly string[]
  readonly newId?: () => string
}

/** What a transport knows of the client beside its input. */
export interface StreamRequest {
  /** AG-UI version of the client, if it says so otherwise than in the input. */
  readonly version?: string | undefined
  readonly cursor?: Cursor | null
}

/** A stream that has been granted; it begins when it is read, and ends when `signal` aborts. */
export type OpenStream = (signal: AbortSignal) => AsyncIterable<Batch>

/** Runs and connects without HTTP, for hosts that bring their own. A request that cannot be granted throws a `ClewlineError`. */
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
        withRunError(runEvents({ threads, input, version, thread, started, isResume, signal }), signal)
    },
    async connect(agent, body, request = {}) {
      await describe(agent)
      const input = parseInput(body, newId)
      const version = input.protocolVersion ?? request.version
      const cursor = request.cursor ?? null
      return (signal) => withRunError(connectEvents({ threads, input, version, cursor, signal }), signal)
    },
  }
}
