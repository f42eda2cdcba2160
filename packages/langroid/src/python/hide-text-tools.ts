import { isRecord } from '@clewline/core'
import type { BackendEvent } from '../backend.ts'
import { parseJsonObject } from '../native/extract-json.ts'
import { questionOf } from '../native/model-question.ts'
import { holdBack, type HoldBack } from '../native/hold-back.ts'
import type { TextTools, WorkerEvent } from './protocol.ts'

/** Keeps tools that a Python model writes as text out of the text that people read, as native agents do. */
export function hideTextTools(): (event: WorkerEvent) => readonly BackendEvent[] {
  let filter: HoldBack | undefined
  let shown = ''

  return (event) => {
    if (event.ev === 'llm_start') {
      const { text_tools, request, ...plain } = event
      filter =
        Object.keys(text_tools).length === 0 ? undefined : holdBack((json) => isToolOf(json, text_tools))
      shown = ''
      return [{ ...plain, ...(request !== undefined && questionOf(request)) }]
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

/** As Langroid reads it: by its `request`, or without one as the only tool that it fits. */
function isToolOf(json: string, tools: TextTools): boolean {
  const object = parseJsonObject(json)
  if (object === undefined) return false
  const given = isRecord(object['properties']) ? object['properties'] : object
  const { request } = given
  if (typeof request === 'string') return Object.hasOwn(tools, request)
  const fitting = Object.values(tools).filter(
    ({ fields, required }) =>
      fields.some((field) => Object.hasOwn(given, field)) &&
      required.every((field) => Object.hasOwn(given, field)),
  )
  return fitting.length === 1
}
