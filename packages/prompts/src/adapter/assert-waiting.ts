import { ClewlineError, isRecord } from '@clewline/core'
import type { ResumeToken } from '../result/prompt-response.ts'
import type { Graph } from './graph-of.ts'

type Place = { readonly configurable: Record<string, unknown> }

/**
 * An answer is given once: refuses a token whose question is no longer open. LangGraph would take it for the answer
 * to the question that is, or run past the next breakpoint.
 */
export async function assertWaiting(graph: Graph, token: ResumeToken, place: Place): Promise<void> {
  const state: unknown = await graph.getState?.(place)
  if (!isRecord(state) || !Array.isArray(state['tasks'])) return
  const waits =
    token.interrupts.length > 0 ? asksAll(state['tasks'], token.interrupts) : await isAt(graph, state, token)
  if (!waits) throw usedToken()
}

export function usedToken(): ClewlineError {
  return new ClewlineError(
    'conflict',
    'This token was used already: the evaluation no longer waits for this answer.',
    { hint: 'Each pause has a token of its own: use the resumeToken of the latest response.' },
  )
}

function asksAll(tasks: readonly unknown[], ids: readonly string[]): boolean {
  const open = tasks.filter(isRecord).flatMap((task) => {
    const { interrupts } = task
    return Array.isArray(interrupts) ? interrupts.filter(isRecord).map((each) => each['id'] ?? '') : []
  })
  return ids.every((id) => open.includes(id))
}

/** Whether the graph still stands at the breakpoint of the token; what was edited by hand since does not count. */
async function isAt(graph: Graph, state: Record<string, unknown>, token: ResumeToken): Promise<boolean> {
  const { next } = state
  if (!Array.isArray(next) || next.length === 0) return false
  if (token.checkpointId === undefined) return true
  let at: Record<string, unknown> | undefined = state
  while (at !== undefined) {
    if (checkpointOf(at) === token.checkpointId) return true
    const { metadata, parentConfig } = at
    if (!isRecord(metadata) || metadata['source'] !== 'update' || !isRecord(parentConfig)) return false
    const before: unknown = await graph.getState?.(parentConfig)
    at = isRecord(before) ? before : undefined
  }
  return false
}

/** The id of the checkpoint that a state was read from. */
export function checkpointOf(state: Readonly<Record<string, unknown>>): string | undefined {
  const { config } = state
  const place = isRecord(config) ? config['configurable'] : undefined
  const id = isRecord(place) ? place['checkpoint_id'] : undefined
  return typeof id === 'string' ? id : undefined
}
