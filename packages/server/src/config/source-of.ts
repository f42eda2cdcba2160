import { ClewlineError } from '@clewline/core'
import type { Source } from '@clewline/core/source'
import { fromGraph, type Graph } from '@clewline/langgraph'

/** What may stand in a config: a source, or a LangGraph graph that is made one. */
export type AgentLike = Source | Graph

/** The agent as a source under the name that it has in the config. */
export function sourceOf(name: string, agent: unknown): Source {
  if (isSource(agent)) return agent
  if (isGraph(agent)) return fromGraph(agent, { name })
  throw new ClewlineError('bad-config', `The agent "${name}" is neither a source nor a compiled graph.`, {
    hint: 'Export what .compile(), createAgent() or createDeepAgent() returns, or a Source of your own.',
  })
}

function isSource(value: unknown): value is Source {
  return isObject(value) && typeof value['run'] === 'function' && typeof value['describe'] === 'function'
}

function isGraph(value: unknown): value is Graph {
  return isObject(value) && typeof value['stream'] === 'function' && typeof value['getState'] === 'function'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}
