import type { Call } from './view.ts'

/** Where calls are looked up: those of a view, or of a fold under way. */
export type Calls = Pick<ReadonlyMap<string, Call>, 'get'>

/** Middleware hooks of LangChain's agents, and the node in which its agents ask their model. */
const PLUMBING = /\.(?:before|after)_(?:agent|model)$|^model_request$/

/** The calls directly below a call, each folded node replaced by what is inside it. In the order of their start. */
export function childrenOf(calls: Calls, call: Call): readonly Call[] {
  const found: Call[] = []
  for (const child of callsIn(calls, call)) {
    if (isFolded(calls, child)) found.push(...childrenOf(calls, child))
    else found.push(child)
  }
  return found
}

/**
 * A node that tells nothing that the calls inside it do not tell: it wraps one call, or the tool calls that a model asked
 * for, or it is a hook that changed nothing. It is shown when it failed by itself.
 */
export function isFolded(calls: Calls, call: Call): boolean {
  if (call.kind !== 'node') return false
  const inside = callsIn(calls, call)
  if (call.status === 'error' && !inside.some(({ status }) => status === 'error')) return false
  if (inside.length === 0) return PLUMBING.test(call.name)
  return inside.length === 1 || inside.every(({ tool_call_id }) => tool_call_id !== undefined)
}

/** Every call below a call that is not a node, however many nodes are between. */
export function callsBelow(calls: Calls, call: Call): readonly Call[] {
  return callsIn(calls, call).flatMap((child) => (child.kind === 'node' ? callsBelow(calls, child) : [child]))
}

const callsIn = (calls: Calls, call: Call): readonly Call[] =>
  call.children.flatMap((id) => calls.get(id) ?? [])
