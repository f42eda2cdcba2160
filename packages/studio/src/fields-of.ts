import { isRecord, type Json, type JsonObject } from '@clewline/core'

/** The fields of a value that is an object; none of any other. */
export function fieldsOf(value: Json | undefined): JsonObject {
  return isRecord(value) ? value : {}
}
