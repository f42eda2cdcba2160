import type { Call, View } from './view.ts'

/** One agent at work: the root of a request, or one invocation of a sub-agent. */
export interface Lane {
  readonly call_id: string
  readonly name: string
  readonly depth: number
  readonly started_at: number
  readonly ended_at: number | null
  readonly status: Call['status']
  /** Model and tool calls that this agent made itself, in the order of their start. */
  readonly bars: readonly Call[]
}

/** A lane per agent, parents before their sub-agents: what ran side by side is seen side by side. */
export function lanes(view: View): readonly Lane[] {
  const found: Lane[] = []
  for (const root of view.roots) collect(view, root, 0, found)
  return found
}

function collect(view: View, id: string, depth: number, found: Lane[]): void {
  const call = view.calls.get(id)
  if (call === undefined) return
  const bars: Call[] = []
  const below: string[] = []
  gather(view, call, bars, below)
  const { name, started_at, ended_at, status } = call
  found.push({ call_id: id, name, depth, started_at, ended_at, status, bars })
  for (const agent of below) collect(view, agent, depth + 1, found)
}

/** Looks through sub-graphs and tools, and stops at sub-agents: they have lanes of their own. */
function gather(view: View, call: Call, bars: Call[], below: string[]): void {
  for (const id of call.children) {
    const child = view.calls.get(id)
    if (child === undefined) continue
    if (child.kind === 'subagent') {
      below.push(id)
      continue
    }
    if (child.kind !== 'subgraph' && child.kind !== 'graph') bars.push(child)
    gather(view, child, bars, below)
  }
}
