import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { LangroidAgent } from './langroid-agent.ts'
import { langroidHandler, type LangroidEndpointOptions, type LangroidRoute } from './langroid-handler.ts'

export interface LangroidAppOptions extends LangroidEndpointOptions {
  /** Default `/`. */
  readonly path?: string
  /** Who may call from a browser, with credentials. Default: anyone, without credentials. */
  readonly origins?: readonly string[]
}

/** A whole app for one agent: AG-UI at `path`, `/health`, `/capabilities`, and CORS. */
export function createLangroidApp(agent: LangroidAgent, options: LangroidAppOptions = {}): Hono {
  const { path = '/', origins, ...endpoint } = options
  const app = new Hono()
  app.use(origins === undefined ? cors({ origin: '*' }) : cors({ origin: [...origins], credentials: true }))
  addLangroidEndpoint(app, agent, path, endpoint)
  return app
}

/** Mounts an agent at `path`, with and without a trailing slash: `POST`, and below it `connect`, `health`, `capabilities`. */
export function addLangroidEndpoint(
  app: Hono,
  agent: LangroidAgent,
  path = '/',
  options: LangroidEndpointOptions = {},
): void {
  const handle = langroidHandler(agent, options)
  const base = path.replace(/\/+$/, '')
  const at = (route: LangroidRoute, ...paths: readonly string[]): void => {
    const method = route === 'run' || route === 'connect' ? 'POST' : 'GET'
    for (const one of paths) app.on(method, one, (context) => handle(context.req.raw, route))
  }
  at('run', ...(base === '' ? ['/'] : [base, `${base}/`]))
  at('connect', `${base}/connect`)
  at('health', `${base}/health`)
  at('capabilities', `${base}/capabilities`)
}
