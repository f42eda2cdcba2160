import { isRecord } from '@clewline/core'
import type { SourceCheckpoint } from '@clewline/core/source'
import type { GraphState } from './graph.ts'

/** A snapshot of LangGraph as a row in the list of a thread's checkpoints. */
export function checkpointOf(state: GraphState): SourceCheckpoint {
  const { config, parentConfig, createdAt, metadata, next, values } = state
  const step = metadata?.['step']
  const messages = isRecord(values) ? values['messages'] : undefined
  return {
    checkpoint_id: checkpointId(config) ?? '',
    parent_id: checkpointId(parentConfig),
    ts: createdAt ?? '',
    step: typeof step === 'number' ? step : 0,
    next: [...next],
    messages: Array.isArray(messages) ? messages.length : 0,
  }
}

/** The id of the checkpoint that a config points at. */
export function checkpointId(config: GraphState['config'] | undefined): string | null {
  const id = config?.configurable?.['checkpoint_id']
  return typeof id === 'string' ? id : null
}
