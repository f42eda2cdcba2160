import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'
import type { AppEnv } from './app-env.ts'

/** Closed by default: a page of another origin can neither read nor, with JSON bodies, send. */
export function cors(origins: readonly string[]): MiddlewareHandler<AppEnv> {
  if (origins.length === 0) return (_c, next) => next()
  const isOpen = origins.includes('*')
  const preflight = honoCors({
    origin: isOpen ? '*' : [...origins],
    allowHeaders: ['authorization', 'content-type', 'last-event-id', 'x-ag-ui-version'],
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
  })

  function headersFor(origin: string | undefined): readonly (readonly [string, string])[] {
    if (isOpen) return [['access-control-allow-origin', '*']]
    if (origin === undefined || !origins.includes(origin)) return [['vary', 'Origin']]
    return [
      ['access-control-allow-origin', origin],
      ['vary', 'Origin'],
    ]
  }

  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return await preflight(c, next)
    const headers = headersFor(c.req.header('origin'))
    // A stream writes its own head to Node's response. hono's middleware would touch `c.res` before there is one, and the
    // mark that a response was already sent does not survive the copy that hono then makes of it.
    for (const [name, value] of headers) c.env.node?.outgoing.setHeader(name, value)
    await next()
    if (!isSent(c.res)) for (const [name, value] of headers) c.res.headers.set(name, value)
  }
}

/** Whether Node's response has had it already, as with a stream. */
export const isSent = (response: Response): boolean => response.headers.has(SENT)

/** How such a response is marked. */
const [SENT = ''] = RESPONSE_ALREADY_SENT.headers.keys()
