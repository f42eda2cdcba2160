import { PromptDefinitionError } from '../prompt-definition-error.ts'
import { assertSchema, validateNow, type Out, type Schema } from '../schema/schema.ts'

/**
 * `state` is rolled back when the tool that wrote it fails. `log` stays: it says what happened, not what holds.
 */
export type SlicePolicy = 'state' | 'log'

/** A named list of values of one type. The name is its key in snapshots. */
export interface Slice<T> {
  readonly name: string
  /** Must accept what it returns: values are validated again when a snapshot is restored. */
  readonly schema: Schema<unknown, T>
  readonly policy: SlicePolicy
}

/** Declares a slice. A slice whose schema is a tool's `result` or a prompt's `output` collects those values. */
export function slice<S extends Schema>(
  name: string,
  schema: S,
  policy: SlicePolicy = 'state',
): Slice<Out<S>> {
  if (typeof name !== 'string' || name.trim() === '')
    throw new PromptDefinitionError('A slice needs a name.', { hint: 'The name is its key in snapshots.' })
  assertSchema(schema, `The schema of the slice "${name}"`)
  return { name, schema: schema as Schema<unknown, Out<S>>, policy }
}

/** Something that happened, for reducers: `SetPlan({ goal })` makes one. */
export interface Action<T> {
  (payload: T): { readonly type: string; readonly payload: T }
  readonly type: string
}

/** Declares an action. Its payload is validated when it is made. */
export function action<S extends Schema>(type: string, schema: S): Action<Out<S>> {
  if (typeof type !== 'string' || type.trim() === '')
    throw new PromptDefinitionError('An action needs a type.', { hint: 'Name what happened: "plan-set".' })
  assertSchema(schema, `The schema of the action "${type}"`)
  const make = (payload: Out<S>) => {
    const checked = validateNow(schema, payload)
    if (!checked.ok)
      throw new PromptDefinitionError(`The payload of "${type}" does not fit: ${checked.message}.`, {
        hint: 'Pass what the schema of the action asks for.',
      })
    return { type, payload }
  }
  return Object.assign(make, { type })
}
