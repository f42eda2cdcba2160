import { ClewlineError } from '@clewline/core'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses to act for a page of another origin. CORS alone lets such a page send (not read) a form or plain text, and a
 * server that asks for nothing on loopback would run an agent for whatever page is open in a browser.
 */
export function refuseCrossSite(allowed: readonly string[]): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (!SAFE.has(c.req.method) && isFromElsewhere(c.req.raw, allowed)) {
      throw new ClewlineError('forbidden', 'This request comes from a page of another origin.', {
        hint: 'If that page is yours, name its origin in allowedOrigins.',
      })
    }
    await next()
  }
}

function isFromElsewhere(request: Request, allowed: readonly string[]): boolean {
  const origin = request.headers.get('origin')
  const site = request.headers.get('sec-fetch-site')
  // Only browsers send either. One that hides the origin still says whether it is another.
  if (origin === null) return site === 'cross-site' || site === 'same-site'
  if (allowed.includes(origin) || allowed.includes('*')) return false
  // Behind a proxy that changes Host, this is what tells; old browsers do not say it.
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  return hostOf(origin) !== request.headers.get('host')
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host
  } catch {
    return null
  }
}
