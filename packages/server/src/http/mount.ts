import { ClewlineError } from '@clewline/core'
import { type BodyLimits, readJson } from '@clewline/core/http'
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { AppEnv } from './app-env.ts'
import { badRequest, wrongMethod } from './problem.ts'
import type { Route } from './route.ts'

/** Puts routes on an app; each request is parsed with its route's schemas before the route sees it. */
export function mount(app: Hono<AppEnv>, routes: readonly Route[], limits: BodyLimits): void {
  // A path without parameters is more specific than one with, as in OpenAPI: `/api/threads/import` is no thread.
  const [concrete, templated] = [routes.filter(isConcrete), routes.filter((route) => !isConcrete(route))]
  add(app, concrete, limits)
  for (const { path } of concrete)
    app.all(path, (c) => wrongMethod(c.req.method, path, methodsAt(routes, path)))
  add(app, templated, limits)
}

const isConcrete = ({ path }: Route): boolean => !path.includes('{')

function add(app: Hono<AppEnv>, routes: readonly Route[], limits: BodyLimits): void {
  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path.replace(/\{(\w+)\}/g, ':$1'), async (c) => {
      const params = check(route.params, c.req.param(), 'The path')
      const query = check(route.query, c.req.query(), 'The query')
      const body = route.body === undefined ? undefined : await bodyOf(c, route.body, limits)
      return await route.handle({
        params,
        query,
        body,
        caller: c.var.caller ?? { owner: undefined },
        request: c.req.raw,
        node: c.env.node,
      })
    })
  }
}

/** The methods that a path knows, in capitals; none when nothing is there. */
export function methodsAt(routes: readonly Route[], path: string): readonly string[] {
  const isThere = (route: Route): boolean =>
    new RegExp(`^${route.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const exact = routes.filter((route) => route.path === path)
  const found = exact.length > 0 ? exact : routes.filter(isThere)
  return [...new Set(found.map(({ method }) => method.toUpperCase()))]
}

async function bodyOf(c: Context<AppEnv>, schema: z.ZodType, limits: BodyLimits): Promise<unknown> {
  const type = c.req.header('content-type')
  // A page of another origin can send forms and plain text without asking first: JSON it cannot.
  if (type !== undefined && !/^application\/([\w.+-]+\+)?json\b/i.test(type)) {
    throw new ClewlineError('bad-request', `The content type "${type.slice(0, 80)}" is not JSON.`, {
      hint: 'Send content-type: application/json.',
    })
  }
  return check(schema, await readJson(c.req.raw, limits), 'The body')
}

function check(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (schema === undefined) return undefined
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw badRequest(where, parsed.error)
  return parsed.data
}
