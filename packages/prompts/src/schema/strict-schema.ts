import { isRecord } from '@clewline/core'
import { resolveRef } from './close-objects.ts'
import type { JsonSchema } from './schema.ts'

/**
 * The schema for a provider's strict mode, where every object is closed and every field required: an optional field
 * becomes one that may be null. Keywords that strict mode refuses are dropped, since the answer is validated by the
 * prompt's own schema. Undefined when it cannot be said strictly: records, open objects, tuples, intersections.
 */
export function strictSchema(schema: JsonSchema): JsonSchema | undefined {
  try {
    return strict(schema)
  } catch (error) {
    if (error === inexpressible) return undefined
    throw error
  }
}

const inexpressible = new Error('Strict mode cannot express this schema.')

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))
const kept = words(
  'type enum const $ref title description items anyOf additionalProperties minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems',
)
const formats = words('date-time time date duration email hostname ipv4 ipv6 uuid')
const refused = ['allOf', 'not', 'if', 'prefixItems', 'patternProperties', 'unevaluatedProperties']

function strict(schema: JsonSchema): JsonSchema {
  if (refused.some((key) => key in schema)) throw inexpressible
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) if (kept.has(key)) result[key] = value
  const { $defs, format, items, properties } = schema
  const branches = [schema['anyOf'], schema['oneOf']].find(Array.isArray)
  if (typeof format === 'string' && formats.has(format)) result['format'] = format
  if (branches !== undefined) result['anyOf'] = branches.map(strictValue)
  if (items !== undefined) result['items'] = strictValue(items)
  if (isRecord($defs)) result['$defs'] = mapValues($defs, strictValue)
  if (isRecord(properties) && schema['additionalProperties'] === false) {
    const required = requiredOf(schema)
    result['properties'] = mapValues(properties, (each, name) =>
      required.has(name) ? strictValue(each) : orNull(strictValue(each), schema),
    )
    result['required'] = Object.keys(properties)
  } else if (schema['type'] === 'object') throw inexpressible
  if (!['type', 'anyOf', 'enum', 'const', '$ref'].some((key) => key in result)) throw inexpressible
  return result
}

const strictValue = (value: unknown): JsonSchema => {
  if (!isRecord(value)) throw inexpressible
  return strict(value)
}

function orNull(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (acceptsNull(schema, root)) return schema
  const { type } = schema
  if (typeof type === 'string' && type !== 'object' && !('enum' in schema) && !('const' in schema))
    return { ...schema, type: [type, 'null'] }
  return { anyOf: [schema, { type: 'null' }] }
}

/** The value as it was meant: a null where a field is optional, and cannot be null, stands for its absence. */
export function dropAbsent(schema: JsonSchema, value: unknown): unknown {
  return drop(schema, value, schema)
}

function drop(schema: unknown, value: unknown, root: JsonSchema): unknown {
  const here = resolveRef(schema, root)
  if (here === undefined) return value
  const branches = [here['anyOf'], here['oneOf']].find(Array.isArray)
  if (branches !== undefined)
    return drop(
      branches.find((branch) => resembles(branch, value, root)),
      value,
      root,
    )
  if (Array.isArray(value)) return value.map((item) => drop(here['items'], item, root))
  if (!isRecord(value) || !isRecord(here['properties'])) return value
  const { properties } = here
  const required = requiredOf(here)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]) => {
      if (!Object.hasOwn(properties, key)) return [[key, child]]
      const property = properties[key]
      if (child === null && !required.has(key) && !acceptsNull(property, root)) return []
      return [[key, drop(property, child, root)]]
    }),
  )
}

/** Whether a value is meant for this branch of a union: the kind of value, its required keys, its constants. */
function resembles(branch: unknown, value: unknown, root: JsonSchema): boolean {
  const here = resolveRef(branch, root)
  if (here === undefined) return false
  if (Array.isArray(value)) return here['type'] === 'array'
  if (!isRecord(value)) return false
  const properties = isRecord(here['properties']) ? here['properties'] : {}
  if (![...requiredOf(here)].every((key) => key in value)) return false
  return Object.entries(value).every(([key, child]) => {
    if (!Object.hasOwn(properties, key)) return here['additionalProperties'] !== false
    const constant = resolveRef(properties[key], root)?.['const']
    return constant === undefined || constant === child
  })
}

function acceptsNull(schema: unknown, root: JsonSchema): boolean {
  const here = resolveRef(schema, root)
  if (here === undefined) return true
  const branches = [here['anyOf'], here['oneOf']].find(Array.isArray)
  if (branches !== undefined) return branches.some((branch) => acceptsNull(branch, root))
  const { type } = here
  if (Array.isArray(type)) return type.includes('null')
  if (Array.isArray(here['enum'])) return here['enum'].includes(null)
  if ('const' in here) return here['const'] === null
  return type === undefined ? !('properties' in here) : type === 'null'
}

const requiredOf = (schema: JsonSchema): ReadonlySet<string> =>
  new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : [])

function mapValues(
  from: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => JsonSchema,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value, key)]))
}
