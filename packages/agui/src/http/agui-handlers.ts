import { ClewlineError } from '@clewline/core'
import { aguiStreams } from './agui-streams.ts'
import type { AguiStreamsOptions, OpenStream } from './agui-streams.ts'
import { capabilities } from './capabilities.ts'
import type { Cursor } from './connect-events.ts'
import { encoder, HEARTBEATS } from './encode.ts'
import { errorResponse } from './error-response.ts'
import { eventBody } from './event-body.ts'
import { CONTENT_TYPES, negotiate } from './negotiate.ts'

/** Where threads live, what clients may do, and what to assume of them. */
export interface AguiOptions extends AguiStreamsOptions {
  /** Version to assume for a client that does not say; 0.0.37 is safe for all, 0.0.59 shows sub-agents and reasoning. */
  readonly assume?: string
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
}

/** Web-standard handlers, to mount under any router. They never throw: what is wrong is a response. */
export interface AguiHandlers {
  /** `POST /agui/:agent` */
  run(request: Request, agent: string): Promise<Response>
  /** `POST /agui/:agent/connect` */
  connect(request: Request, agent: string): Promise<Response>
  /** `GET /agui/:agent/capabilities` */
  capabilities(request: Request, agent: string): Promise<Response>
}

/** The AG-UI endpoints over a `Threads` port, from Request to Response. Cheap: make one per caller if need be. */
export function aguiHandlers(options: AguiOptions): AguiHandlers {
  const { maxBodyBytes = 10_000_000, heartbeatMs = 15_000 } = options
  const streams = aguiStreams(options)

  async function respond(request: Request, open: OpenStream): Promise<Response> {
    const form = negotiate(request.headers.get('accept'))
    const encode = await encoder(form, request.headers.has('last-event-id'))
    const gone = new AbortController()
    const body = eventBody(open(AbortSignal.any([request.signal, gone.signal])), {
      encode,
      heartbeat: HEARTBEATS[form],
      heartbeatMs,
      stop: () => gone.abort(),
    })
    return new Response(body, {
      headers: {
        'content-type': CONTENT_TYPES[form],
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    })
  }

  /** A header says it for clients before 1.0, which have no field for it. */
  const versionOf = (request: Request): string | undefined =>
    request.headers.get('x-ag-ui-version') ?? options.assume

  return {
    run: (request, agent) =>
      answering(async () => {
        await streams.describe(agent)
        negotiate(request.headers.get('accept'))
        const body = await readBody(request, maxBodyBytes)
        return respond(request, await streams.run(agent, body, { version: versionOf(request) }))
      }),
    connect: (request, agent) =>
      answering(async () => {
        const cursor = cursorOf(request.headers.get('last-event-id'))
        const body = await readBody(request, maxBodyBytes)
        return respond(request, await streams.connect(agent, body, { version: versionOf(request), cursor }))
      }),
    capabilities: (_request, agent) =>
      answering(async () => Response.json(capabilities(await streams.describe(agent)))),
  }
}

async function answering(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    return errorResponse(error)
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

async function readBody(request: Request, limit: number): Promise<unknown> {
  const tooLarge = new ClewlineError('too-large', `The body is larger than ${limit} bytes.`, {
    hint: 'Send only the messages that are new; the thread has the others.',
  })
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge
    text += decoder.decode(chunk, { stream: true })
  }
  const value = parsed(text + decoder.decode())
  if (isDeeperThan(MAX_DEPTH, value)) {
    throw new ClewlineError('bad-request', `The body is nested more than ${MAX_DEPTH} levels deep.`, {
      hint: 'Send a flatter value, or send the nested part as a string.',
    })
  }
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ClewlineError('bad-request', 'The body is not JSON.', {
      hint: 'Send an AG-UI RunAgentInput as JSON.',
      cause,
    })
  }
}

/** Deeper than any honest input, and far from where recursive code, such as the schema's, runs out of stack. */
const MAX_DEPTH = 128

function isDeeperThan(limit: number, value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
    if (level.length === 0) return false
  }
  return true
}
