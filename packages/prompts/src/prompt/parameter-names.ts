import { isRecord } from '@clewline/core'
import { resolveRef } from '../schema/close-objects.ts'
import type { JsonSchema } from '../schema/schema.ts'

/** Names by which parameters are bound. */
export interface ParameterNames {
  readonly names: readonly string[]
  /** True when the schema takes names that it does not list: a record, a loose object, a check of one's own. */
  readonly isOpen: boolean
}

/** The fields of an object schema, of all branches of a union or intersection. Undefined when it is no object. */
export function parameterNames(schema: JsonSchema): ParameterNames | undefined {
  return namesIn(schema, schema)
}

function namesIn(schema: unknown, root: JsonSchema): ParameterNames | undefined {
  const here = resolveRef(schema, root)
  if (here === undefined) return undefined
  const { type, properties, additionalProperties: rest } = here
  const isObject = Array.isArray(type) ? type.includes('object') : type === 'object'
  if (type !== undefined && !isObject) return undefined
  const branches = [here['anyOf'], here['oneOf'], here['allOf']]
    .filter(Array.isArray)
    .flat()
    .flatMap((branch) => namesIn(branch, root) ?? [])
  const own = isRecord(properties) ? Object.keys(properties) : []
  if (branches.length === 0 && type === undefined && properties === undefined && hasKind(here))
    return undefined
  const knowsNothing = branches.length === 0 && !isRecord(properties)
  return {
    names: [...new Set([...own, ...branches.flatMap(({ names }) => names)])],
    isOpen: knowsNothing || isRecord(rest) || rest === true || branches.some(({ isOpen }) => isOpen),
  }
}

/** Whether an untyped schema is known not to be an object: a constant, a choice, a union without objects. */
const hasKind = (schema: JsonSchema): boolean =>
  ['const', 'enum', 'anyOf', 'oneOf', 'allOf'].some((key) => key in schema)
