import type { AgentCapabilities } from '@ag-ui/core'
import type { AgentDescription } from '../threads.ts'

/** What an agent behind these handlers can do, for clients that ask before they draw. */
export function capabilities(agent: AgentDescription): AgentCapabilities {
  const delegates = agent.subagents === undefined || agent.subagents.length > 0
  const asks = agent.interrupts ?? true
  return {
    identity: {
      name: agent.name,
      type: 'clewline',
      ...(agent.description !== undefined && { description: agent.description }),
    },
    transport: { streaming: true, websocket: false, httpBinary: true, resumable: true },
    tools: { supported: true, parallelCalls: true, clientProvided: true },
    state: { snapshots: true, deltas: true, persistentState: true },
    multiAgent: {
      supported: delegates,
      delegation: delegates,
      ...(agent.subagents !== undefined && { subagents: agent.subagents.map((name) => ({ name })) }),
    },
    reasoning: { supported: true, streaming: true },
    // A tool of the client's is a way to ask, too.
    humanInTheLoop: { supported: true, interrupts: asks, approvals: asks, approveWithEdits: asks },
  }
}
