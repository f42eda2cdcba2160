import { isRecord, type Json } from '@clewline/core'

/** Which tools are sub-agents. */
export interface SubagentOptions {
  /** Tools that hand work to another agent: such a call and the graph in it are one call. Default: `['task']`. */
  readonly subagentTools?: readonly string[]
}

export type IsSubagent = (tool: string) => boolean

/** Recognises sub-agents by the name of their tool. `task` is what deepagents, and agents built like it, call theirs. */
export function subagentTools({ subagentTools: names = ['task'] }: SubagentOptions): IsSubagent {
  const known = new Set(names)
  return (tool) => known.has(tool)
}

/** The agent that a call hands work to, as its arguments name it; by default the tool itself. */
export function subagentOf(args: Json, tool: string): string {
  if (!isRecord(args)) return tool
  const named = args['subagent_type'] ?? args['subagent'] ?? args['agent']
  return typeof named === 'string' && named !== '' ? named : tool
}
