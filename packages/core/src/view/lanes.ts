import { childrenOf } from './children-of.ts'
import type { Call, View } from './view.ts'

/** One agent at work: the root of a request, or one invocation of a sub-agent. */
export interface Lane {
  readonly call_id: string
  readonly name: string
  readonly depth: number
  readonly started_at: number
  readonly ended_at: number | null
  readonly status: Call['status']
  /** Model and tool calls that this agent made itself, and nodes without calls, in the order of their start. */
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

/** Looks through sub-graphs, nodes and tools, and stops at sub-agents: they have lanes of their own. */
function gather(view: View, call: Call, bars: Call[], below: string[]): void {
  for (const child of childrenOf(view.calls, call)) {
    if (child.kind === 'subagent') {
      below.push(child.id)
      continue
    }
    // A node with calls inside it is as long as they are; one without is work of its own.
    const isAround = child.kind === 'subgraph' || child.kind === 'graph' || child.kind === 'node'
    if (!isAround || (child.kind === 'node' && child.children.length === 0)) bars.push(child)
    gather(view, child, bars, below)
  }
}
