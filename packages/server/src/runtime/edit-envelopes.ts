import { randomUUID } from 'node:crypto'
import { isRecord } from '@clewline/core'
import type { Delta, Envelope, JsonObject } from '@clewline/core'
import { createLedger } from '@clewline/core/source'

/** A state that a person wrote, as a call of its own, so that the history of a file shows who changed it, and when. */
export function editEnvelopes(
  agent: string,
  values: JsonObject,
  by: string | null,
  now: () => number,
): readonly Envelope[] {
  const ledger = createLedger({ trace_id: randomUUID(), run_id: randomUUID(), now })
  const said = { path: [], agent }
  const tool_name = 'edit'
  return [
    ...ledger.stamp({
      ...said,
      type: 'tool_start',
      payload: { tool_name, kind: 'graph', input: { keys: Object.keys(values) }, meta: { by: 'user' }, by },
    }),
    ...ledger.stamp({ ...said, type: 'tool_update', payload: { tool_name, delta: deltaOf(values) } }),
    ...ledger.stamp({
      ...said,
      type: 'tool_end',
      payload: { tool_name, result: { messages: [], files: {}, usage: {} }, status: 'ok' },
    }),
  ]
}

function deltaOf({ files, messages: _told, ...state }: JsonObject): Delta {
  const changes = isRecord(files) ? Object.entries(files) : []
  const changed = changes.filter((change): change is [string, string] => typeof change[1] === 'string')
  const removed = changes.flatMap(([name, content]) => (content === null ? [name] : []))
  return { state, ...(changes.length > 0 && { files: { changed: Object.fromEntries(changed), removed } }) }
}
