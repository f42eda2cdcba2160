import { isRecord } from '@clewline/core'

/**
 * Unwraps an event of a LangGraph API server: `{event: 'messages|tools:1', data}` is a chunk with its mode and
 * namespace, `events` wraps a `streamEvents` object, `error` ends the run. Undefined for events that carry
 * nothing of the run; anything else is returned as it is.
 */
export function serverEvent(event: unknown): unknown {
  if (!isRecord(event) || typeof event['event'] !== 'string' || !('data' in event)) return event
  if (event['event'].startsWith('on_') || 'run_id' in event) return event
  const [mode = '', ...namespace] = event['event'].split('|')
  const { data } = event
  if (mode === 'metadata' || mode === 'end') return undefined
  if (mode === 'events') return data
  if (mode === 'error') {
    const { error, name, message } = isRecord(data)
      ? data
      : { error: 'Error', name: undefined, message: data }
    return { THROWN: { name: error ?? name, message: message ?? 'The server gave no reason.' } }
  }
  return [namespace, mode, data]
}
