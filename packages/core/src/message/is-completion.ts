import type { Completion } from '../envelope.ts'
import { isRecord } from '../is-record.ts'
import type { Json } from '../json.ts'

/** True for `{messages, files, usage}`: what a graph, sub-graph or sub-agent ends with. */
export function isCompletion(value: Json): value is Completion {
  return (
    isRecord(value) &&
    Array.isArray(value['messages']) &&
    isRecord(value['files']) &&
    isRecord(value['usage'])
  )
}
