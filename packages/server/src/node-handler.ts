import { IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import type { Skein } from './create-skein.ts'

/** A Skein as a handler for Node's HTTP server and for whatever takes one: Express, Connect, Fastify's raw routes. */
export function nodeHandler(skein: Skein): (request: IncomingMessage, response: ServerResponse) => void {
  const listener = getRequestListener(
    (request, env) => skein.fetch(request, isHttp1(env) ? env : undefined),
    {
      overrideGlobalObjects: false,
    },
  )
  return (request, response) => void listener(request, response)
}

function isHttp1(env: HttpBindings | Http2Bindings): env is HttpBindings {
  return env.incoming instanceof IncomingMessage
}
