import { LangGraphAgent } from '@ag-ui/langgraph'
import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2'
import { ConnectingRunner } from '@clewline/copilotkit'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'

export interface AppOptions {
  /** URL of a LangGraph server: `langgraphjs dev`, or a deployment. */
  readonly langGraphUrl: string
  /** Names of its graphs. */
  readonly graphs: readonly string[]
  /** The built page. */
  readonly page: string
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** The CopilotKit runtime with a runner that connects, and the page that uses it. */
export function createApp({
  langGraphUrl,
  graphs,
  page,
}: AppOptions): (request: Request) => Promise<Response> {
  // The patched class: it has connect(). Without the patch use ConnectableLangGraphAgent of @clewline/connect.
  const agents = Object.fromEntries(
    graphs.map((graphId) => [graphId, new LangGraphAgent({ deploymentUrl: langGraphUrl, graphId })]),
  )
  const runtime = new CopilotRuntime({ agents, runner: new ConnectingRunner({ agents }) })
  const copilotKit = createCopilotRuntimeHandler({ runtime, basePath: '/api/copilotkit' })

  return async (request) => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/api/copilotkit')) return copilotKit(request)
    const file = normalize(pathname === '/' ? '/index.html' : pathname)
    try {
      const type = TYPES[extname(file)] ?? 'application/octet-stream'
      return new Response(await readFile(join(page, file)), { headers: { 'content-type': type } })
    } catch {
      return new Response('Not found', { status: 404 })
    }
  }
}
