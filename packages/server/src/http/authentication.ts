import { createHash, timingSafeEqual } from 'node:crypto'
import { ClewlineError, coerce, isRecord } from '@clewline/core'
import type { RunUser } from '@clewline/core/source'
import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from './app-env.ts'
import type { Caller } from './route.ts'

/** Who a request is from; null or undefined is answered with 401. */
export type Authenticate = (request: Request) => User | null | undefined | Promise<User | null | undefined>

/** The user that a request is from. */
export interface User {
  /** Threads belong to this id, and only it sees them. */
  readonly id: string
  /** What they may do, in words of your own: agents read them as `configurable.langgraph_auth_permissions`. */
  readonly permissions?: readonly string[]
  /** Whatever else agents are to know of them, as JSON: `configurable.langgraph_auth_user` has it. */
  readonly [fact: string]: unknown
}

export type Authentication =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'custom'; readonly authenticate: Authenticate }

/** Authenticates a request: who calls, or a 401. */
export function callerOf(authentication: Authentication): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set('caller', await identify(authentication, c.req.raw))
    await next()
  }
}

async function identify(authentication: Authentication, request: Request): Promise<Caller> {
  switch (authentication.kind) {
    case 'none':
      return { owner: undefined }
    case 'token': {
      const [scheme, given = ''] = (request.headers.get('authorization') ?? '').split(' ')
      if (scheme?.toLowerCase() === 'bearer' && isSame(given, authentication.token)) {
        return { owner: undefined }
      }
      throw unauthorized(
        'Send the header "Authorization: Bearer <token>" with the token the server was started with.',
      )
    }
    case 'custom': {
      const user = await asked(authentication.authenticate, request)
      if (user === null || user === undefined)
        throw unauthorized('Sign in, and send what the service asks for.')
      // Without an id a caller would have no owner, and so see everything.
      if (typeof user.id !== 'string' || user.id === '') {
        throw new ClewlineError('bad-config', '"authenticate" has named a user without an id.', {
          hint: 'Return { id } with a text that is not empty, or null to turn the request away.',
        })
      }
      return { owner: user.id, user: runUser(user) }
    }
  }
}

/** A refusal of its own passes; any other failure means that nothing is known of the caller, who may try again. */
async function asked(authenticate: Authenticate, request: Request): Promise<User | null | undefined> {
  try {
    return await authenticate(request)
  } catch (cause) {
    if (cause instanceof ClewlineError) throw cause
    throw new ClewlineError('unavailable', 'It could not be found out who this request is from.', {
      hint: 'Try again; if it stays so, "authenticate" of the server fails, and its log says why.',
      cause,
    })
  }
}

/** As LangGraph's own server hands a user to graphs. A copy as JSON: it is stored with the run. */
function runUser({ id, permissions = [], ...facts }: User): RunUser {
  const known = coerce(facts)
  return {
    ...(isRecord(known) ? known : {}),
    identity: id,
    permissions: permissions.map(String),
    is_authenticated: true,
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
