import type { HttpBindings } from '@hono/node-server'
import { ClewlineError } from '@clewline/core'
import { Hono } from 'hono'
import type { Runtime } from '../runtime/create-runtime.ts'
import { failureText, type OnFailure } from '../runtime/failure-text.ts'
import type { AppEnv } from './app-env.ts'
import { callerOf, type Authentication } from './authentication.ts'
import { aguiRoutes } from './agui-routes.ts'
import { cors } from './cors.ts'
import { refuseCrossSite } from './cross-site.ts'
import { cronRoutes } from './cron-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { forkRoutes } from './fork-routes.ts'
import { createHeartbeat } from './heartbeat.ts'
import { limitRequests } from './limit-requests.ts'
import { methodsAt, mount } from './mount.ts'
import { openapi } from './openapi.ts'
import { partRoutes } from './part-routes.ts'
import { problem, storeUnavailable, wrongMethod } from './problem.ts'
import { json } from './route.ts'
import { safeHeaders } from './safe-headers.ts'
import { runRoutes } from './run-routes.ts'
import { serviceRoutes, type ServiceFacts } from './service-routes.ts'
import { studioFile } from './studio-files.ts'
import { threadRoutes } from './thread-routes.ts'
import { transferRoutes } from './transfer-routes.ts'

export interface AppOptions {
  readonly info: ServiceFacts
  readonly authentication: Authentication
  /** Origins of browsers that may call. Default none but the server's own. */
  readonly allowedOrigins: readonly string[]
  /** Where the app is mounted in another one, such as `/clewline`; empty at the root. */
  readonly basePath: string
  readonly maxBodyBytes: number
  readonly maxBodyItems: number
  /** Keys of `config.configurable` that clients may set; undefined: any that is not reserved. */
  readonly configurable: readonly string[] | undefined
  /** Keys of AG-UI's `forwardedProps` that reach the agents. */
  readonly forwardedProps: readonly string[]
  /** Folder of the built studio; null for none. */
  readonly studio: string | null
  /** Shows stack traces to clients. */
  readonly debug: boolean
  /** Gets the causes of answers of 500 and above. */
  readonly onFailure: OnFailure
}

export interface App {
  /** The web-standard handler. `node` when Node's own request and response are at hand. */
  fetch(request: Request, node?: HttpBindings): Response | Promise<Response>
  close(): void
}

/** The HTTP face of a runtime. */
export function createApp(runtime: Runtime, options: AppOptions): App {
  const { basePath } = options
  const app = new Hono<AppEnv>().basePath(basePath === '' ? '/' : basePath)
  const heartbeat = createHeartbeat()
  const limits = { bytes: options.maxBodyBytes, items: options.maxBodyItems }
  const routes = [
    ...serviceRoutes(runtime, options.info),
    ...transferRoutes(runtime, limits),
    ...threadRoutes(runtime),
    ...forkRoutes(runtime),
    ...runRoutes(runtime, options.configurable),
    ...cronRoutes(runtime),
    ...eventRoutes(runtime, heartbeat),
    ...partRoutes(runtime),
    ...aguiRoutes(runtime, heartbeat, {
      forward: options.forwardedProps,
      limits,
    }),
  ]
  const document = openapi(routes, options.info.version, basePath)

  app.onError((error, c) => {
    const response = problem(
      runtime.store.isUnavailable?.(error) ? storeUnavailable(error) : error,
      options.debug,
    )
    if (response.status >= 500) options.onFailure(failureText(`${c.req.method} ${c.req.path}`, error))
    return response
  })
  app.notFound((c) => {
    const { method, path } = c.req
    const known = methodsAt(routes, path.slice(basePath.length))
    if (known.length > 0) return wrongMethod(method, path, known)
    const hint = 'GET /openapi.json lists every route.'
    return problem(new ClewlineError('not-found', `Nothing is at ${method} ${path}.`, { hint }), false)
  })
  app.use(cors(options.allowedOrigins))
  app.use(refuseCrossSite(options.allowedOrigins))
  for (const path of ['/api/*', '/agui/*', '/metrics', '/info', '/ok', '/openapi.json'])
    app.use(path, safeHeaders)
  app.use('/api/*', callerOf(options.authentication))
  app.use('/agui/*', callerOf(options.authentication))
  app.use('/metrics', callerOf(options.authentication))
  app.use('/api/*', limitRequests(runtime.admission))
  app.use('/agui/*', limitRequests(runtime.admission))
  app.get('/openapi.json', () => json(document))
  mount(app, routes, limits)
  const { studio } = options
  if (studio !== null) {
    app.get('*', async (c, next) => {
      const path = c.req.path.slice(basePath.length)
      if (/^\/(api|agui)(\/|$)/.test(path)) return await next()
      return (await studioFile(studio, path)) ?? (await next())
    })
  }

  return {
    fetch: (request, node) => app.fetch(request, { node }),
    close: () => heartbeat.stop(),
  }
}
