// What people run today: the CopilotKit runtime, its LangGraph agent, and the LangGraph API server behind it.
import { LangGraphAgent } from '@copilotkit/runtime/langgraph'
import { CopilotRuntime, createCopilotEndpoint, InMemoryAgentRunner } from '@copilotkit/runtime/v2'
import { serve } from '@hono/node-server'

const runtime = new CopilotRuntime({
  agents: { bench: new LangGraphAgent({ deploymentUrl: process.argv[2], graphId: 'bench' }) },
  runner: new InMemoryAgentRunner(),
})
const app = createCopilotEndpoint({ runtime, basePath: '/api/copilotkit' })
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.send({ url: `http://127.0.0.1:${port}/api/copilotkit` }),
)
process.on('SIGTERM', () => process.exit(0))
process.on('message', () => process.send({ cpu: process.cpuUsage(), memory: process.memoryUsage() }))
