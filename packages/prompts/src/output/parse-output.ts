import { isRecord } from '@clewline/core'
import type { OutputSpec } from '../prompt/render-prompt.ts'
import { closeObjects, unknownKeys } from '../schema/close-objects.ts'
import { inputSchemaOf, validate, type JsonSchema, type Validation } from '../schema/schema.ts'
import { dropAbsent } from '../schema/strict-schema.ts'
import { findJson } from './find-json.ts'

/** The JSON Schema that providers get. Lists are wrapped as `{ items }`, because they refuse any root but an object. */
export function outputSchemaOf(spec: OutputSpec, title: string): JsonSchema {
  const { $defs, ...item } = itemSchemaOf(spec)
  const definitions = $defs === undefined ? {} : { $defs }
  // Untitled, langchain would name it by a counter of the process.
  if (spec.container === 'object') return { title, ...item, ...definitions }
  return {
    title,
    type: 'object',
    properties: { items: { type: 'array', items: item } },
    required: ['items'],
    additionalProperties: false,
    ...definitions,
  }
}

// Every model call sends it and every item is checked against it; to print it takes longer than either.
const itemSchemas = new WeakMap<OutputSpec, JsonSchema>()

function itemSchemaOf(spec: OutputSpec): JsonSchema {
  const known = itemSchemas.get(spec)
  if (known !== undefined) return known
  const printed = inputSchemaOf(spec.schema)
  const schema = spec.allowExtraKeys ? printed : closeObjects(printed)
  itemSchemas.set(spec, schema)
  return schema
}

/** Finds JSON in a model's text and reads it as the prompt's output. */
export async function parseOutput(spec: OutputSpec, text: string): Promise<Validation<unknown>> {
  const found = findJson(text)
  return found === undefined
    ? { ok: false, message: 'there is no JSON in the answer' }
    : readOutput(spec, found.value)
}

/** Validates with the prompt's own schema, so that defaults and transforms apply. */
export async function readOutput(spec: OutputSpec, value: unknown): Promise<Validation<unknown>> {
  if (spec.container === 'object') return readItem(spec, value)
  const items = Array.isArray(value)
    ? value
    : isRecord(value) && Object.keys(value).length === 1
      ? value['items']
      : undefined
  if (!Array.isArray(items)) return { ok: false, message: 'a list, or { "items": [...] }, is expected' }
  const read: unknown[] = []
  for (const [at, item] of items.entries()) {
    const checked = await readItem(spec, item)
    if (!checked.ok) return { ok: false, message: `item ${at}: ${checked.message}` }
    read.push(checked.value)
  }
  return { ok: true, value: read }
}

async function readItem(spec: OutputSpec, value: unknown): Promise<Validation<unknown>> {
  const schema = itemSchemaOf(spec)
  const meant = dropAbsent(schema, value)
  const extra = spec.allowExtraKeys ? [] : unknownKeys(schema, meant)
  if (extra.length > 0) return { ok: false, message: `unknown ${extra.join(', ')}` }
  return validate(spec.schema, meant)
}
