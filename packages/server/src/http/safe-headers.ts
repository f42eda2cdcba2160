import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'
import { isSent } from './cors.ts'

/** A browser takes no answer for another type than it says; no cache between keeps what is for one caller. */
const HEADERS = [
  ['x-content-type-options', 'nosniff'],
  ['cache-control', 'no-store'],
] as const

/** For what the API answers; a route that says its own `cache-control` keeps it. */
export const safeHeaders: MiddlewareHandler<AppEnv> = async (c, next) => {
  // A stream writes its own head to Node's response.
  for (const [name, value] of HEADERS) c.env.node?.outgoing.setHeader(name, value)
  await next()
  if (isSent(c.res)) return
  for (const [name, value] of HEADERS) if (!c.res.headers.has(name)) c.res.headers.set(name, value)
}
