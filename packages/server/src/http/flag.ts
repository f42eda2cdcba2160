import { z } from 'zod'

/** A switch in a query: `true` or `false`, as the document says, and nothing else. */
export function flag(fallback: boolean, description?: string) {
  return z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true')
    .meta(description === undefined ? {} : { description })
}
