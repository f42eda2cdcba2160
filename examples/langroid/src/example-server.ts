import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import { addLangroidEndpoint, LangroidAgent, OpenAIModel, PythonAgent } from '@skein/langroid'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Feature } from './feature.ts'
import { features } from './features.ts'
import { startOfflineModel } from './offline-model.ts'
import { addPage } from './page-bundle.ts'

export interface ExampleServerOptions {
  readonly host?: string
  readonly port?: number
  readonly backend?: 'native' | 'python'
  /** A real model's name; without it a scripted one answers. */
  readonly model?: string
  /** Of an OpenAI-compatible server. */
  readonly baseUrl?: string
  readonly apiKey?: string
  /** The Python that has Langroid. */
  readonly python?: string
}

export interface ExampleServer {
  readonly url: string
  close(): Promise<void>
}

/** All features at `/<feature>` and `/<feature>/`, and at `/` a page that drives them. */
export async function startExampleServer(options: ExampleServerOptions = {}): Promise<ExampleServer> {
  const { host = '127.0.0.1', port = 0, backend = 'native', model = 'gpt-4o' } = options
  const offline = options.model === undefined ? await startOfflineModel() : undefined
  const baseUrl = offline?.baseUrl ?? options.baseUrl ?? 'https://api.openai.com/v1'
  const apiKey = options.apiKey ?? 'none'

  function agentOf(feature: Feature): LangroidAgent {
    const config = { ...feature.config, name: feature.name }
    if (backend === 'native')
      return LangroidAgent(feature.native(OpenAIModel({ model, baseUrl, apiKey })), config)
    const python = PythonAgent({
      app: feature.python,
      cwd: fileURLToPath(new URL('../python', import.meta.url)),
      env: { MODEL_URL: baseUrl, MODEL_NAME: model, MODEL_KEY: apiKey },
      ...(options.python === undefined ? {} : { python: options.python }),
    })
    return LangroidAgent(python, config)
  }

  const app = new Hono()
  app.use(cors())
  const agents = features.map((feature) => {
    const agent = agentOf(feature)
    addLangroidEndpoint(app, agent, `/${feature.name}`)
    return agent
  })
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
      await Promise.all(agents.map((agent) => agent.close()))
      await offline?.stop()
    },
  }
}
