import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2'
import type { Threads } from '@clewline/agui'
import { ClewlineAgent, ClewlineRunner } from '@clewline/copilotkit'

/** The same page on Clewline itself, without a LangGraph server: threads live in its log and survive a restart. */
export function clewlineRuntime(
  threads: Threads,
  names: readonly string[],
): (request: Request) => Promise<Response> {
  const agents = Object.fromEntries(names.map((agent) => [agent, new ClewlineAgent({ threads, agent })]))
  const runtime = new CopilotRuntime({ agents, runner: new ClewlineRunner({ threads }) })
  const handle = createCopilotRuntimeHandler({ runtime, basePath: '/api/copilotkit' })
  return async (request) => handle(request)
}
