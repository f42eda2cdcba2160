import type { AgentMiddleware } from 'langchain'
import { toolName } from './built-in-tools.ts'
import { DeepAgentError } from './deep-agent-error.ts'
import type { AgentTool, AnySubAgent, InterruptOn, SubAgent } from './sub-agent.ts'

interface Asking {
  readonly name: string
  readonly interruptOn?: InterruptOn
  readonly middleware?: readonly AgentMiddleware[]
  readonly subagents?: readonly AnySubAgent[]
}

/** A misspelt name in `interruptOn` would let a tool run unasked, so it is a mistake and not a wish for later. */
export function checkApprovals(
  main: Asking,
  tools: readonly AgentTool[],
  ofAll: readonly AgentMiddleware[],
): void {
  const agents = flatten(main)
  const middleware = [...ofAll, ...agents.flatMap((agent) => agent.middleware ?? [])]
  // Such a middleware may add tools that are not known yet.
  if (middleware.some((one) => one.wrapToolCall !== undefined)) return
  const known = new Set([
    'task',
    ...tools.map(toolName),
    ...agents.flatMap((agent) => ('tools' in agent ? (agent.tools ?? []) : [])).map(nameOf),
    ...middleware.flatMap((one) => one.tools ?? []).map((tool) => String(tool.name)),
  ])
  for (const { name, interruptOn = {} } of agents) {
    const unknown = Object.keys(interruptOn).find((tool) => !known.has(tool))
    if (unknown === undefined) continue
    throw new DeepAgentError(
      'bad-agent',
      `interruptOn of ${name} names ${JSON.stringify(unknown)}, which is no tool.`,
      { hint: `There are: ${[...known].filter((tool) => tool !== '').join(', ')}.` },
    )
  }
}

function flatten(agent: Asking | SubAgent): (Asking | SubAgent)[] {
  return [agent, ...(agent.subagents ?? []).flatMap((spec) => ('runnable' in spec ? [] : flatten(spec)))]
}

function nameOf(tool: string | AgentTool): string {
  return typeof tool === 'string' ? tool : toolName(tool)
}
