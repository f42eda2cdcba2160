import type { Call } from '@clewline/core/view'

/** What a call is called on the screen: a sub-agent by its own name, not by the `task` tool that started it. */
export function callTitle(call: Call): string {
  if (call.kind === 'subagent') return call.agent || call.name
  return call.name || call.kind
}
