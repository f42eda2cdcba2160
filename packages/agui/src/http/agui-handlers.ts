import { HTTP_STATUS } from '@clewline/core'
import { publicError, readJson } from '@clewline/core/http'
import { aguiEndpoints } from './agui-endpoints.ts'
import type { AguiEndpointsOptions, AguiRequest, AguiResponse } from './agui-endpoints.ts'
import { eventBody } from './event-body.ts'

/** Where threads live, what clients may do, and how much they may send. */
export interface AguiOptions extends AguiEndpointsOptions {
  readonly maxBodyBytes?: number
  readonly heartbeatMs?: number
}

/** Web-standard handlers, to mount under any router. They never throw: every error is a response. */
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
  const endpoints = aguiEndpoints(options)

  const asked = (request: Request): AguiRequest => ({
    headers: request.headers,
    body: () => readJson(request, { bytes: maxBodyBytes }),
  })

  function respond(request: Request, { headers, heartbeat, chunks }: AguiResponse): Response {
    const left = new AbortController()
    const signal = AbortSignal.any([request.signal, left.signal])
    const body = eventBody(chunks(signal), { heartbeat, heartbeatMs, stop: () => left.abort() })
    return new Response(body, { headers })
  }

  return {
    run: (request, agent) =>
      answering(async () => respond(request, await endpoints.run(agent, asked(request)))),
    connect: (request, agent) =>
      answering(async () => respond(request, await endpoints.connect(agent, asked(request)))),
    capabilities: (_request, agent) =>
      answering(async () => Response.json(await endpoints.capabilities(agent))),
  }
}

async function answering(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    const { code, message, hint } = publicError(error)
    return Response.json({ error: { code, message, hint } }, { status: HTTP_STATUS[code] })
  }
}
