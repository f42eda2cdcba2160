import { once } from 'node:events'
import { serve } from '@hono/node-server'
import { addLangroidEndpoint } from '@clewline/langroid'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { startExampleAgents } from './example-agents.ts'
import type { ExampleAgentOptions } from './example-agents.ts'
import { addPage } from './page-bundle.ts'

export interface ExampleServerOptions extends ExampleAgentOptions {
  readonly host?: string
  readonly port?: number
}

export interface ExampleServer {
  readonly url: string
  close(): Promise<void>
}

/** All features at `/<feature>` and `/<feature>/`, and at `/` a page that drives them. */
export async function startExampleServer(options: ExampleServerOptions = {}): Promise<ExampleServer> {
  const { host = '127.0.0.1', port = 0, ...rest } = options
  const examples = await startExampleAgents(rest)
  const app = new Hono()
  app.use(cors())
  for (const [name, agent] of Object.entries(examples.agents)) addLangroidEndpoint(app, agent, `/${name}`)
  await addPage(app)

  const server = serve({ fetch: app.fetch, hostname: host, port })
  if (!server.listening) await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host}:${bound}`,
    async close() {
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await examples.close()
    },
  }
}
