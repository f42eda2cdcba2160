import { isRecord } from '@clewline/core'
import type { BackendEvent } from '../backend.ts'
import { parseJsonObject } from '../native/extract-json.ts'
import { holdBack, type HoldBack } from '../native/hold-back.ts'
import type { WorkerEvent } from './protocol.ts'

/** Keeps tools that a Python model writes as text out of the text that people read, as native agents do. */
export function hideTextTools(): (event: WorkerEvent) => readonly BackendEvent[] {
  let filter: HoldBack | undefined
  let shown = ''

  return (event) => {
    if (event.ev === 'llm_start') {
      const { text_tools, ...plain } = event
      filter = text_tools.length === 0 ? undefined : holdBack((json) => isToolOf(json, text_tools))
      shown = ''
      return [plain]
    }
    if (filter === undefined) return [event]
    if (event.ev === 'text') {
      const delta = filter.push(event.delta)
      shown += delta
      return delta === '' ? [] : [{ ...event, delta }]
    }
    if (event.ev === 'tool_name') return [...rest(event.turn), event]
    if (event.ev === 'message' && event.message.tool_calls !== undefined) {
      const content = shown.trim() === '' ? null : shown
      return [{ ...event, message: { ...event.message, content } }]
    }
    if (event.ev === 'llm_end') return [...rest(event.turn), { ...event, content: shown }]
    return [event]
  }

  function rest(turn: number): readonly BackendEvent[] {
    const delta = filter?.end() ?? ''
    shown += delta
    return delta === '' ? [] : [{ ev: 'text', turn, delta }]
  }
}

function isToolOf(json: string, names: readonly string[]): boolean {
  const object = parseJsonObject(json)
  if (object === undefined) return false
  const fields = isRecord(object['properties']) ? object['properties'] : object
  const { request } = fields
  return typeof request === 'string' && names.includes(request)
}
