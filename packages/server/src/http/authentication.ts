import { createHash, timingSafeEqual } from 'node:crypto'
import { ClewlineError } from '@clewline/core'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'

/** Who a request is from; null or undefined is answered with 401. */
export type Authenticate = (request: Request) => User | null | undefined | Promise<User | null | undefined>

/** The user that a request is from. */
export interface User {
  /** Threads belong to this id, and only it sees them. */
  readonly id: string
}

export type Authentication =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'custom'; readonly authenticate: Authenticate }

/** Authenticates a request: who calls, or a 401. */
export function callerOf(authentication: Authentication): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set('caller', { owner: await ownerOf(authentication, c.req.raw) })
    await next()
  }
}

async function ownerOf(authentication: Authentication, request: Request): Promise<string | undefined> {
  switch (authentication.kind) {
    case 'none':
      return undefined
    case 'token': {
      const [scheme, given = ''] = (request.headers.get('authorization') ?? '').split(' ')
      if (scheme?.toLowerCase() === 'bearer' && isSame(given, authentication.token)) return undefined
      throw unauthorized(
        'Send the header "Authorization: Bearer <token>" with the token the server was started with.',
      )
    }
    case 'custom': {
      const user = await authentication.authenticate(request)
      if (user === null || user === undefined)
        throw unauthorized('Sign in, and send what the service asks for.')
      // Without an id a caller would have no owner, and so see everything.
      if (typeof user.id !== 'string' || user.id === '') {
        throw new ClewlineError('bad-config', '"authenticate" has named a user without an id.', {
          hint: 'Return { id } with a text that is not empty, or null to turn the request away.',
        })
      }
      return user.id
    }
  }
}

function unauthorized(hint: string): ClewlineError {
  return new ClewlineError('unauthorized', 'This request is not from anyone the server knows.', { hint })
}

/** In constant time: hashing makes the lengths equal, so that neither they nor a common prefix can be measured. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(a), hash(b))
}
