import { type Call, childrenOf, type View } from '@clewline/core/view'

/** A line of the call tree. */
export interface TreeRow {
  readonly call: Call
  readonly depth: number
  readonly hasChildren: boolean
  readonly isOpen: boolean
}

export type CallFilter = 'all' | 'agents' | 'tools' | 'models' | 'errors'

export interface TreeOptions {
  /** Calls whose children are hidden. */
  readonly closed: ReadonlySet<string>
  readonly filter: CallFilter
  /** Words to find in name, agent, input or text; found calls keep their ancestors. */
  readonly find: string
}

/** The tree as the lines that are on the screen, depth first in the order of their start. */
export function treeRows(view: View, options: TreeOptions): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const needle = options.find.trim().toLowerCase()
  const isNarrow = options.filter !== 'all' || needle !== ''
  const kept = isNarrow
    ? keep(view, (call) => isOfKind(call, options.filter) && mentions(call, needle))
    : null

  function visit(id: string, depth: number): void {
    const call = view.calls.get(id)
    if (call === undefined || kept?.has(id) === false) return
    const below = childrenOf(view.calls, call)
    const children = kept === null ? below : below.filter((child) => kept.has(child.id))
    const isOpen = !options.closed.has(id)
    rows.push({ call, depth, hasChildren: children.length > 0, isOpen })
    if (isOpen) for (const child of children) visit(child.id, depth + 1)
  }
  for (const root of view.roots) visit(root, 0)
  return rows
}

/** The calls that match, and everything above them. */
function keep(view: View, matches: (call: Call) => boolean): ReadonlySet<string> {
  const kept = new Set<string>()
  for (const call of view.calls.values()) {
    if (!matches(call)) continue
    for (
      let at: string | null = call.id;
      at !== null && !kept.has(at);
      at = view.calls.get(at)?.parent_id ?? null
    ) {
      kept.add(at)
    }
  }
  return kept
}

function isOfKind(call: Call, filter: CallFilter): boolean {
  switch (filter) {
    case 'all':
      return true
    case 'agents':
      return call.kind === 'subagent' || call.kind === 'graph' || call.kind === 'subgraph'
    case 'tools':
      return call.kind === 'tool'
    case 'models':
      return call.kind === 'llm'
    case 'errors':
      return call.status === 'error' || call.status === 'waiting' || call.attempt > 1
  }
}

function mentions(call: Call, needle: string): boolean {
  if (needle === '') return true
  if (`${call.name}\n${call.agent}\n${call.node ?? ''}\n${call.text}`.toLowerCase().includes(needle))
    return true
  return JSON.stringify(call.input).toLowerCase().includes(needle)
}
