import { isRecord } from '@clewline/core'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { PromptDefinitionError } from '../prompt-definition-error.ts'

/** Anything that validates and prints JSON Schema: zod 4, arktype, valibot through `toStandardJsonSchema`. */
export type Schema<I = unknown, O = unknown> = StandardSchemaV1<I, O> & StandardJSONSchemaV1<I, O>

/** What a caller writes for a schema; nothing for an absent one. */
export type In<S> = S extends Schema ? StandardSchemaV1.InferInput<S> : unknown

/** What a handler reads after validation; `undefined` for an absent schema. */
export type Out<S> = S extends Schema ? StandardSchemaV1.InferOutput<S> : undefined

/** A JSON Schema document. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

/** Says what is wrong with a value that stands where a schema should. `what` begins the sentence. */
export function assertSchema(schema: unknown, what: string): void {
  const standard: unknown =
    isRecord(schema) || typeof schema === 'function' ? Reflect.get(schema, '~standard') : undefined
  if (isRecord(standard) && isRecord(standard['jsonSchema'])) return
  if (isRecord(standard))
    throw new PromptDefinitionError(`${what} validates, but cannot print JSON Schema.`, {
      hint: 'Use zod 4.2 or later, arktype, or valibot through toStandardJsonSchema().',
    })
  const isPlain = isRecord(schema) && ['type', 'properties', '$ref', 'anyOf'].some((key) => key in schema)
  throw new PromptDefinitionError(isPlain ? `${what} is plain JSON Schema.` : `${what} is no schema.`, {
    hint: isPlain
      ? 'Wrap it: fromJsonSchema({ type: "object", ... }).'
      : 'Use a schema of zod 4, arktype or valibot, or fromJsonSchema().',
  })
}

/** The schema of what is written, not of what is read: a field with a default is optional there. */
export function inputSchemaOf(schema: Schema): JsonSchema {
  const { $schema: _, ...document } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  return document
}

/** `inputSchemaOf` for what a model must write: refuses, with a sentence, what JSON cannot express. */
export function modelSchemaOf(schema: Schema, what: string): JsonSchema {
  assertSchema(schema, `The schema of ${what}`)
  try {
    return inputSchemaOf(schema)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new PromptDefinitionError(`JSON Schema cannot express ${what}: ${reason}.`, {
      hint: 'Models write JSON: take text or a number, and turn it into the value with a transform.',
      cause,
    })
  }
}

/** `inputSchemaOf` for what no model writes: what JSON Schema cannot express, such as a date, is left open in it. */
export function looseSchemaOf(schema: Schema): JsonSchema {
  const { jsonSchema } = schema['~standard']
  try {
    // The first option is zod's, the second valibot's.
    const libraryOptions = { unrepresentable: 'any', errorMode: 'ignore' }
    const { $schema: _, ...document } = jsonSchema.input({ target: 'draft-2020-12', libraryOptions })
    return document
  } catch {
    return {}
  }
}

export async function validate<T>(schema: Schema<unknown, T>, value: unknown): Promise<Validation<T>> {
  return toValidation(await schema['~standard'].validate(value))
}

/** For the places that cannot wait: parameters of sections, values of slices. */
export function validateNow<T>(schema: Schema<unknown, T>, value: unknown): Validation<T> {
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) {
    result.catch(() => undefined)
    return { ok: false, message: 'the schema validates asynchronously, which is not possible here' }
  }
  return toValidation(result)
}

function toValidation<T>(result: StandardSchemaV1.Result<T>): Validation<T> {
  if (result.issues === undefined) return { ok: true, value: result.value }
  return { ok: false, message: result.issues.map(describe).join('; ') }
}

function describe(issue: StandardSchemaV1.Issue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  // Arktype already names the field in its message.
  return path === '' || issue.message.startsWith(path) ? issue.message : `${path}: ${issue.message}`
}
