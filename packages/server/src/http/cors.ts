import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'
import type { AppEnv } from './app-env.ts'

/** Closed by default: a page of another origin can neither read nor, with JSON bodies, send. */
export function cors(origins: readonly string[]): MiddlewareHandler<AppEnv> {
  if (origins.length === 0) return (_c, next) => next()
  const isOpen = origins.includes('*')
  return honoCors({
    origin: isOpen ? '*' : [...origins],
    allowHeaders: ['authorization', 'content-type', 'last-event-id'],
    allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
  })
}
