import { CopilotRuntime, createCopilotRuntimeHandler } from '@copilotkit/runtime/v2'
import type { Threads } from '@skein/agui'
import { SkeinAgent, SkeinRunner } from '@skein/copilotkit'

/** The same page on Skein itself, without a LangGraph server: threads live in its log and survive a restart. */
export function skeinRuntime(
  threads: Threads,
  names: readonly string[],
): (request: Request) => Promise<Response> {
  const agents = Object.fromEntries(names.map((agent) => [agent, new SkeinAgent({ threads, agent })]))
  const runtime = new CopilotRuntime({ agents, runner: new SkeinRunner({ threads }) })
  const handle = createCopilotRuntimeHandler({ runtime, basePath: '/api/copilotkit' })
  return async (request) => handle(request)
}
