import type { CallKind, EnvelopeType } from './envelope.ts'

/** A call of a model, or of anything else: graph, sub-graph, sub-agent, tool. */
export type CallFamily = 'tool' | 'llm'

/** Which family of calls says this; null for both. */
export function familyOf(type: EnvelopeType): CallFamily | null {
  switch (type) {
    case 'llm_start':
    case 'llm_token':
    case 'llm_end':
      return 'llm'
    case 'tool_start':
    case 'tool_update':
    case 'tool_end':
    case 'subgraph_checkpoint':
    case 'subgraph_resume':
      return 'tool'
    case 'warning':
    case 'error':
      return null
  }
}

/** Calls whose result is a `Completion`: those that run a graph. */
export function isGraphKind(kind: CallKind | null): boolean {
  return kind === 'graph' || kind === 'subgraph' || kind === 'subagent'
}
