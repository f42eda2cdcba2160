import { IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener, type Http2Bindings, type HttpBindings, RequestError } from '@hono/node-server'
import { ClewlineError } from '@clewline/core'
import type { Clewline } from './create-clewline.ts'
import { problem } from './http/problem.ts'

/** A Clewline as a handler for Node's HTTP server and for whatever takes one: Express, Connect, Fastify's raw routes. */
export function nodeHandler(
  clewline: Clewline,
): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = getRequestListener(
    (request, env) => clewline.fetch(request, isHttp1(env) ? env : undefined),
    { overrideGlobalObjects: false, errorHandler: refused },
  )
  return (request, response) => void listener(request, response)
}

function isHttp1(env: HttpBindings | Http2Bindings): env is HttpBindings {
  return env.incoming instanceof IncomingMessage
}

/** What no web request can be made of, such as a host with an impossible port, never gets as far as the app. */
function refused(error: unknown): Response {
  if (!(error instanceof RequestError)) return problem(error, false)
  const hint = 'Check the address and the Host header.'
  return problem(new ClewlineError('bad-request', `${error.message}.`, { hint, cause: error }), false)
}
