import { Validator } from '@cfworker/json-schema'
import type { JsonSchema, Schema } from './schema.ts'

/** A schema for what arrives at run time as JSON Schema: the tools of an MCP server, of a remote agent. */
export function fromJsonSchema<T = unknown>(document: JsonSchema): Schema<T, T> {
  const validator = new Validator(document, '2020-12', false)
  const isValid = (value: unknown): value is T => validator.validate(value).valid
  return {
    '~standard': {
      version: 1,
      vendor: 'json-schema',
      validate: (value) => {
        if (isValid(value)) return { value }
        const found = validator.validate(value).errors.filter((each) => each.keyword !== 'properties')
        return {
          issues: found.map((each) => ({
            message: each.error,
            path: each.instanceLocation.split('/').slice(1),
          })),
        }
      },
      jsonSchema: { input: () => ({ ...document }), output: () => ({ ...document }) },
    },
  }
}
