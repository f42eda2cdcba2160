import { isRecord } from '@clewline/core'

/** One chunk of `graph.stream()`. */
export interface StreamChunk {
  readonly namespace: readonly string[]
  readonly mode: string
  readonly data: unknown
  readonly phase: unknown
}

const MODES = new Set(['values', 'updates', 'messages', 'custom', 'debug', 'tasks', 'checkpoints', 'tools'])

/** Reads a chunk from `[namespace, mode, chunk]`, `[mode, chunk]` or `{ns, mode, data | chunk, phase?}`. */
export function streamChunk(event: unknown): StreamChunk | null {
  if (Array.isArray(event)) {
    const [first, second, third]: unknown[] = event
    if (isNamespace(first) && typeof second === 'string' && MODES.has(second))
      return { namespace: first, mode: second, data: third, phase: undefined }
    if (typeof first === 'string' && MODES.has(first))
      return { namespace: [], mode: first, data: second, phase: undefined }
    return null
  }
  if (!isRecord(event) || typeof event['mode'] !== 'string' || !MODES.has(event['mode'])) return null
  const namespace = event['ns'] ?? event['namespace'] ?? []
  if (!isNamespace(namespace)) return null
  return { namespace, mode: event['mode'], data: event['data'] ?? event['chunk'], phase: event['phase'] }
}

const isNamespace = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string')
