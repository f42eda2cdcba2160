import type { Completion } from '../envelope.ts'
import type { Json } from '../json.ts'

/** True for `{messages, files, usage}`: what a graph, sub-graph or sub-agent ends with. */
export function isCompletion(value: Json): value is Completion {
  return (
    isFields(value) &&
    Array.isArray(value['messages']) &&
    isFields(value['files']) &&
    isFields(value['usage'])
  )
}

const isFields = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
