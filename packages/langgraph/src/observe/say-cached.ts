import { coerce, isRecord } from '@clewline/core'
import type { Call } from './call.ts'
import type { ObservedRun } from './observed-run.ts'

/**
 * A task whose writes come from LangGraph's cache, or from before a resume, does not run, so no callback tells of it.
 * Its `updates` chunk `[namespace, 'updates', {node: …, __metadata__: {cached}}]` does.
 */
export async function sayCached(
  run: ObservedRun,
  chunk: unknown,
  callAt: (namespace: string) => Call | undefined,
): Promise<void> {
  if (!Array.isArray(chunk) || !isRecord(chunk[2])) return
  const { __metadata__: metadata, ...nodes } = chunk[2]
  if (!isRecord(metadata) || metadata['cached'] !== true) return
  const namespace = Array.isArray(chunk[0]) ? chunk[0].join('|') : ''
  const call = callAt(namespace) ?? run.root
  for (const [node, update] of Object.entries(nodes)) {
    const data = { node, cached: true, update: coerce(update, { total: 16_384 }) }
    const { path, agent, name } = call
    await run.emit({ type: 'tool_update', path, agent, origin: 'replay', payload: { tool_name: name, data } })
  }
}
