import type { MiddlewareHandler } from 'hono'
import type { Admission } from '../runtime/admission.ts'
import type { AppEnv } from './app-env.ts'

/** Refuses requests of a caller who sends too many; after `callerOf`, which says who that is. */
export function limitRequests(admission: Admission): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    admission.request(c.var.caller.owner ?? null)
    await next()
  }
}
