import { isRecord, type Json, type JsonObject } from '@clewline/core'

/**
 * A JSON Schema as strict decoding wants it: every object closed and every field required. A field that was optional may
 * be null instead.
 */
export function strictSchema(schema: JsonObject): JsonObject {
  const strict = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strictValue(value)]))
  const { properties, required } = schema
  if (!isRecord(properties)) return strict
  const mandatory = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, field]): [string, Json] => {
    const inner = strictValue(field)
    return [name, mandatory.has(name) ? inner : { anyOf: [withoutDefault(inner), { type: 'null' }] }]
  })
  return {
    ...strict,
    properties: Object.fromEntries(fields),
    required: Object.keys(properties),
    additionalProperties: false,
  }
}

/** Without the nulls that strict decoding writes for fields that are not there. */
export function withoutNulls(fields: JsonObject, schema: JsonObject): JsonObject {
  const { required } = schema
  const mandatory = new Set(Array.isArray(required) ? required : [])
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== null || mandatory.has(name)),
  )
}

function strictValue(value: Json): Json {
  if (Array.isArray(value)) return value.map(strictValue)
  return isRecord(value) ? strictSchema(value) : value
}

function withoutDefault(schema: Json): Json {
  if (!isRecord(schema)) return schema
  const { default: _fallback, ...rest } = schema
  return rest
}
