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
  return hasMethods(value, 'run', 'describe')
}

function isGraph(value: unknown): value is Graph {
  return hasMethods(value, 'stream', 'getState')
}

/** Of an object, or of a function that carries them. */
function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return names.every((name) => typeof Reflect.get(value, name) === 'function')
}
