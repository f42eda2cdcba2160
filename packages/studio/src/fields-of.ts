import type { Json, JsonObject } from '@clewline/core'

/** The fields of a value that is an object; none of any other. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return isFields(value) ? value : {}
}

/** `Array.isArray` does not take readonly arrays out of a union, so TypeScript needs to be told. */
export function isFields(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
