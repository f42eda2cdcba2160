import { isRecord } from '@clewline/core'
import type { JsonSchema } from './schema.ts'

/**
 * The same schema with every object closed that does not say otherwise, so that model and validator agree that
 * unknown keys are refused. Vendors differ: zod strips them in silence, valibot too.
 */
export function closeObjects(schema: JsonSchema): JsonSchema {
  const closed: Record<string, unknown> = { ...schema }
  for (const [key, value] of Object.entries(schema)) closed[key] = closeKeyword(key, value)
  if (isRecord(schema['properties']) && !isOpen(schema)) closed['additionalProperties'] = false
  return closed
}

const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions'])
const schemaLists = new Set(['anyOf', 'oneOf', 'prefixItems'])
const schemas = new Set(['items', 'additionalProperties'])

function closeKeyword(key: string, value: unknown): unknown {
  if (schemaMaps.has(key) && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, closeValue(child)]))
  if (schemaLists.has(key) && Array.isArray(value)) return value.map(closeValue)
  return schemas.has(key) ? closeValue(value) : value
}

const closeValue = (value: unknown): unknown => (isRecord(value) ? closeObjects(value) : value)

/** Members of `allOf` see each other's keys, so none of them can be closed alone. */
const isOpen = (schema: JsonSchema): boolean =>
  ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'allOf', '$ref'].some(
    (key) => key in schema,
  )

/** Paths of the keys in `value` that a schema from `closeObjects` does not know. */
export function unknownKeys(schema: JsonSchema, value: unknown): string[] {
  return walk(schema, value, '', schema)
}

function walk(schema: unknown, value: unknown, path: string, root: JsonSchema): string[] {
  const here = resolveRef(schema, root)
  if (here === undefined) return []
  const branches = [here['anyOf'], here['oneOf']].find(Array.isArray)
  const inBranches =
    branches === undefined ? [] : fewest(branches.map((branch) => walk(branch, value, path, root)))
  if (Array.isArray(value)) {
    const fixed = Array.isArray(here['prefixItems']) ? here['prefixItems'] : []
    const own = value.flatMap((item, at) => walk(fixed[at] ?? here['items'], item, `${path}[${at}]`, root))
    return [...inBranches, ...own]
  }
  if (!isRecord(value)) return inBranches
  const properties = isRecord(here['properties']) ? here['properties'] : {}
  const rest = here['additionalProperties']
  const own = Object.entries(value).flatMap(([key, child]) => {
    const at = path === '' ? key : `${path}.${key}`
    if (Object.hasOwn(properties, key)) return walk(properties[key], child, at, root)
    return rest === false ? [at] : walk(rest, child, at, root)
  })
  return [...inBranches, ...own]
}

const fewest = (found: string[][]): string[] =>
  found.reduce((best, each) => (each.length < best.length ? each : best), found[0] ?? [])

/** What a `$ref` within the document points to; the schema itself when it is none. */
export function resolveRef(schema: unknown, root: JsonSchema): JsonSchema | undefined {
  if (!isRecord(schema)) return undefined
  const ref = schema['$ref']
  if (typeof ref !== 'string') return schema
  if (ref === '#') return root
  const parts = ref.startsWith('#/') ? ref.slice(2).split('/') : []
  const target = parts.reduce<unknown>((at, part) => (isRecord(at) ? at[part] : undefined), root)
  return isRecord(target) ? target : undefined
}
