import type { AgentCapabilities } from '@ag-ui/core'
import type { AgentDescription } from '../threads.ts'

/** What an agent behind these handlers can do, for clients that ask before they draw. */
export function capabilities(agent: AgentDescription): AgentCapabilities {
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
      supported: true,
      delegation: true,
      ...(agent.subagents !== undefined && { subagents: agent.subagents.map((name) => ({ name })) }),
    },
    reasoning: { supported: true, streaming: true },
    humanInTheLoop: { supported: true, interrupts: true, approvals: true, approveWithEdits: true },
  }
}
