import type { IncomingMessage, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { addLangroidEndpoint } from './langroid-app.ts'
import type { LangroidAgent } from './langroid-agent.ts'
import type { LangroidEndpointOptions } from './langroid-handler.ts'

/** The part of an Express app (4 or 5) that is needed here. */
export interface ExpressApp {
  use(
    path: string,
    handler: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void,
  ): unknown
}

/** Mounts an agent in an Express app, before or after `express.json()`. CORS is the app's own business. */
export function addLangroidExpressEndpoint(
  app: ExpressApp,
  agent: LangroidAgent,
  path = '/',
  options: LangroidEndpointOptions = {},
): void {
  const hono = new Hono()
  addLangroidEndpoint(hono, agent, '/', options)
  const listen = getRequestListener(hono.fetch, { overrideGlobalObjects: false })
  app.use(path, (request, response, next) => {
    // A body parser that ran before has eaten the stream; the listener then reads `rawBody`.
    if ('body' in request && request.body !== undefined && request.readableEnded)
      Object.assign(request, { rawBody: Buffer.from(JSON.stringify(request.body)) })
    listen(request, response).catch(next)
  })
}
