import type { Json, JsonObject } from '@clewline/core'

/** `Array.isArray` does not take readonly arrays out of a union, so TypeScript needs to be told. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
