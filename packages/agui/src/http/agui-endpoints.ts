import type { AgentCapabilities } from '@ag-ui/core'
import { ClewlineError } from '@clewline/core'
import { aguiStreams } from '../stream/agui-streams.ts'
import type { AguiStreamsOptions, OpenStream } from '../stream/agui-streams.ts'
import type { Cursor } from '../stream/open-thread.ts'
import { capabilities } from './capabilities.ts'
import { encodeEvents, encoder, HEARTBEATS } from './encode.ts'
import { CONTENT_TYPES, negotiate } from './negotiate.ts'

/** Where threads live, what clients may do, and what to assume of them. */
export interface AguiEndpointsOptions extends AguiStreamsOptions {
  /** Version to assume for a client that does not say; 0.0.37 is safe for all, 0.0.59 shows sub-agents and reasoning. */
  readonly assume?: string
}

/** A request, from whatever host. */
export interface AguiRequest {
  readonly headers: Headers
  /** Reads the body as JSON; called when agent and headers are found to be right. */
  readonly body: () => Promise<unknown>
}

/** A response that has been granted, to be written by whatever sink the host has. */
export interface AguiResponse {
  readonly headers: Readonly<Record<string, string>>
  /** Keeps an idle connection alive; null when the form has no such thing. */
  readonly heartbeat: Uint8Array | null
  /** Encoded events, a chunk for each commit of the log. Begins when it is read, ends when `signal` aborts. */
  readonly chunks: (signal: AbortSignal) => AsyncIterable<Uint8Array>
}

/** The AG-UI endpoints up to the response. A request that cannot be granted throws a `ClewlineError`. */
export interface AguiEndpoints {
  run(agent: string, request: AguiRequest): Promise<AguiResponse>
  connect(agent: string, request: AguiRequest): Promise<AguiResponse>
  capabilities(agent: string): Promise<AgentCapabilities>
}

/** The AG-UI endpoints for hosts with a sink of their own. `aguiHandlers` is the same with a web stream as the sink. */
export function aguiEndpoints(options: AguiEndpointsOptions): AguiEndpoints {
  const streams = aguiStreams(options)

  async function respond(headers: Headers, open: OpenStream): Promise<AguiResponse> {
    const form = negotiate(headers.get('accept'))
    const encode = await encoder(form, headers.has('last-event-id'))
    return {
      headers: {
        'content-type': CONTENT_TYPES[form],
        // `no-transform` keeps compressing proxies from buffering events; the last line is for nginx.
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
      heartbeat: HEARTBEATS[form],
      chunks: (signal) => encodeEvents(open(signal), encode),
    }
  }

  /** A header says it for clients before 1.0, which have no field for it. */
  const versionOf = (headers: Headers): string | undefined => headers.get('x-ag-ui-version') ?? options.assume

  return {
    async run(agent, { headers, body }) {
      await streams.describe(agent)
      // Before anything is started that the client could not read.
      negotiate(headers.get('accept'))
      return respond(headers, await streams.run(agent, await body(), { version: versionOf(headers) }))
    },
    async connect(agent, { headers, body }) {
      const cursor = cursorOf(headers.get('last-event-id'))
      const request = { version: versionOf(headers), cursor }
      return respond(headers, await streams.connect(agent, await body(), request))
    },
    capabilities: async (agent) => capabilities(await streams.describe(agent)),
  }
}

/** `POSITION@RUN`, as `ConnectableHttpAgent` sends it. `0` only asks for positions. */
function cursorOf(header: string | null): Cursor | null {
  if (header === null || header === '0' || header === '') return null
  const match = /^(\d{1,15})@(.{1,200})$/.exec(header)
  if (match === null) {
    throw new ClewlineError('bad-request', `Last-Event-ID "${header.slice(0, 50)}" is not a cursor.`, {
      hint: 'Send 0, or POSITION@RUN with the id of the last event and the runId of its RUN_STARTED.',
    })
  }
  return { position: Number(match[1]), run_id: match[2] ?? '' }
}
