import { aguiHandlers, memoryThreads } from '@clewline/agui'
import { endpointThreads } from './endpoint-threads.ts'
import type { LangroidAgent } from './langroid-agent.ts'

export interface LangroidEndpointOptions {
  /** Keys of AG-UI's `forwardedProps` that reach hooks and agents. None by default. */
  readonly forward?: readonly string[]
  readonly maxBodyBytes?: number
}

/** What an endpoint answers, whatever router it is mounted under. */
export type LangroidRoute = 'run' | 'connect' | 'health' | 'capabilities'

/**
 * An AG-UI endpoint for one agent, on the web's own Request and Response. It runs the agent in this process with a log
 * in memory; mount the agent in `@clewline/server` instead when runs must outlive their clients.
 */
export function langroidHandler(
  agent: LangroidAgent,
  options: LangroidEndpointOptions = {},
): (request: Request, route: LangroidRoute) => Promise<Response> {
  // A client cannot come back for an earlier run: its envelopes would only make a long thread grow.
  const shared = memoryThreads({ agents: { [agent.name]: agent }, limits: agent.limits, keep: 'trace' })
  // Clients before 1.0 do not say their version; those that matter here read what 0.0.59 reads.
  const settings = { assume: '0.0.59', ...options }

  async function run(request: Request): Promise<Response> {
    const type = request.headers.get('content-type') ?? ''
    if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
      const hint = 'Send an AG-UI RunAgentInput with "content-type: application/json".'
      const error = { code: 'unsupported', message: `Cannot read a body of type "${type}".`, hint }
      return Response.json({ error }, { status: 415 })
    }
    const { threads, stop } = endpointThreads(shared, agent.name)
    request.signal.addEventListener('abort', stop, { once: true })
    const response = await aguiHandlers({ threads, ...settings }).run(request, agent.name)
    return withVary(response, stop)
  }

  return async (request, route) => {
    switch (route) {
      case 'run':
        return await run(request)
      case 'connect':
        return await aguiHandlers({ threads: shared, ...settings }).connect(request, agent.name)
      case 'capabilities':
        return await aguiHandlers({ threads: shared, ...settings }).capabilities(request, agent.name)
      case 'health': {
        const { name, description = '' } = await agent.describe()
        return Response.json({ status: 'ok', agent: { name, description } })
      }
    }
  }
}

/** `Vary: Accept`, because the form depends on it; and the run is stopped when its only reader disconnects. */
function withVary(response: Response, onLeave: () => void): Response {
  const headers = new Headers(response.headers)
  headers.set('vary', 'accept')
  if (response.body === null) return new Response(null, { status: response.status, headers })
  const reader = response.body.getReader()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        onLeave()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status: response.status, headers })
}
