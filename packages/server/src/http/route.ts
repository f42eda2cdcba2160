import type { HttpBindings } from '@hono/node-server'
import type { ClewlineErrorCode } from '@clewline/core'
import type { RunUser } from '@clewline/core/source'
import type { z } from 'zod'

/** Who calls. Without authentication there is no owner, and every thread is visible. */
export interface Caller {
  readonly owner: string | undefined
  /** What agents are told of who asks; absent without `authenticate`. */
  readonly user?: RunUser
}

export interface RouteRequest<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly request: Request
  /** Present when served by Node itself, which allows writing to the raw response. */
  readonly node: HttpBindings | undefined
}

/** A response of a route, for the OpenAPI document. */
export interface RouteResponse {
  readonly description: string
  /** Of the JSON that it is. */
  readonly schema?: z.ZodType
  /** The media type of a text that is not JSON. */
  readonly content?: string
  /** Of the JSON in each server-sent event, by the event's name. */
  readonly events?: Readonly<Record<string, z.ZodType>>
  /** Of the JSON in each line of NDJSON. */
  readonly lines?: z.ZodType
}

export type RouteResponses = Readonly<Record<string, RouteResponse>>

interface RouteParts<Params, Query, Body> {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  /** In OpenAPI's notation: `/api/threads/{thread}`. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  readonly body?: z.ZodType<Body>
  /** The handler reads and checks the body itself; this is only for the OpenAPI document. */
  readonly rawBody?: { readonly type: string; readonly schema?: z.ZodType }
  readonly answers: RouteResponses
  /** Why it may refuse, besides what every route of its kind may (see `openapi.ts`). */
  readonly refusals?: readonly ClewlineErrorCode[]
}

/** One route: the schemas that check a request are the ones that the OpenAPI document shows. */
export interface Route extends RouteParts<unknown, unknown, unknown> {
  handle(asked: RouteRequest<unknown, unknown, unknown>): Promise<Response> | Response
}

export function route<Params = undefined, Query = undefined, Body = undefined>(
  parts: RouteParts<Params, Query, Body> & {
    readonly handle: (asked: RouteRequest<Params, Query, Body>) => Promise<Response> | Response
  },
): Route {
  const { handle, ...rest } = parts
  return {
    ...rest,
    // `mount` has parsed each of the three with the schema of the same name before it calls this.
    handle: (asked) => handle(asked as RouteRequest<Params, Query, Body>),
  }
}

export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status })
}
