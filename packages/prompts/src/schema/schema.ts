import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'

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

/** The schema of what is written, not of what is read: a field with a default is optional there. */
export function inputSchemaOf(schema: Schema): JsonSchema {
  const { $schema: _, ...document } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })
  return document
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
