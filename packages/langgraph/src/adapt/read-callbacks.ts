import { isRecord } from '@clewline/core'
import type { Recorded } from './recorded.ts'

/** Serialised callbacks, one by one: `{cb: 'llmToken', runId, parent, …}`. They know their parents. */
export function readCallback(event: unknown): readonly Recorded[] | null {
  if (!isRecord(event) || typeof event['cb'] !== 'string' || typeof event['runId'] !== 'string') return null
  const { cb, runId: id } = event
  const parentId = typeof event['parent'] === 'string' ? event['parent'] : undefined
  const name = typeof event['name'] === 'string' ? event['name'] : 'unnamed'
  const metadata = isRecord(event['md']) ? event['md'] : {}
  switch (cb) {
    case 'chainStart': {
      const is = hasStep(event['tags']) ? 'node' : 'unknown'
      return [{ type: 'chain_start', id, parentId, name, is, metadata, input: event['input'] ?? null }]
    }
    case 'chainEnd':
      return [{ type: 'chain_end', id, output: event['output'] ?? event['o'] ?? null }]
    case 'chainError':
      return [{ type: 'chain_error', id, error: event['error'] ?? event['e'] }]
    case 'llmStart':
      return [{ type: 'model_start', id, parentId, name, metadata, messages: undefined }]
    case 'llmToken': {
      const chunks = isRecord(event['chunk']) ? event['chunk']['tcc'] : undefined
      return [{ type: 'model_token', id, message: { content: event['t'] ?? '', tool_call_chunks: chunks } }]
    }
    case 'llmEnd': {
      const message = event['message'] ?? { response_metadata: event['rm'] }
      return [{ type: 'model_end', id, message, usage: event['usage'] }]
    }
    case 'llmError':
      return [{ type: 'model_error', id, error: event['error'] ?? event['e'] }]
    case 'toolStart': {
      const toolCallId = typeof event['tcid'] === 'string' ? event['tcid'] : undefined
      return [{ type: 'tool_start', id, parentId, name, input: event['i'] ?? {}, toolCallId }]
    }
    case 'toolEvent':
      return [{ type: 'tool_event', id, data: event['c'] }]
    case 'toolEnd':
      return [{ type: 'tool_end', id, output: event['o'] }]
    case 'toolError':
      return [{ type: 'tool_error', id, error: event['error'] ?? event['e'] }]
    default:
      return []
  }
}

/** LangGraph tags the run of a node with its step. */
export function hasStep(tags: unknown): boolean {
  return Array.isArray(tags) && tags.some((tag) => typeof tag === 'string' && tag.startsWith('graph:step:'))
}
