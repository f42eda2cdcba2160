import type { Envelope } from '../envelope.ts'
import type { Json, JsonObject } from '../json.ts'

/** A value that a log holds once, under the hash of its JSON text. In a stream it stands before what refers to it. */
export interface Part {
  readonly part: string
  readonly value: Json
}

/** An envelope as it stands in a log or in a file: values in its payload may be references to parts. */
export type StoredEnvelope = Omit<Envelope, 'payload'> & { readonly payload: JsonObject }

/** Stands for the value of a part. */
export const PART_KEY = '$part'

/**
 * Stands for a list. Its part is `{prev, items}`: the items of the list `prev`, then these. A list grows by a node, so
 * that a conversation of n messages is n nodes however often it was sent.
 */
export const LIST_KEY = '$list'

/** An object that only looks like a reference is written with one more `$`, and read with one less. */
export const LOOKALIKE = /^\$+(?:part|list)$/

/** The only key of an object, if it has one key. */
export function onlyKey(value: JsonObject): string | undefined {
  const keys = Object.keys(value)
  return keys.length === 1 ? keys[0] : undefined
}
