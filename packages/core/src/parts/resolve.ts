import { ClewlineError } from '../clewline-error.ts'
import type { Envelope } from '../envelope.ts'
import { isRecord } from '../is-record.ts'
import type { Json, JsonObject } from '../json.ts'
import { createExpandedLength } from './expanded-length.ts'
import { LIST_KEY, LOOKALIKE, onlyKey, PART_KEY, type Part, type StoredEnvelope } from './part.ts'

/** Replaces references by the values that they stand for. Parts may come in any order, and from anywhere. */
export interface Resolver {
  define(part: Part): void
  /** Hashes of the parts that are needed and not defined. Those that a missing part refers to are not known yet. */
  missing(envelope: StoredEnvelope): readonly string[]
  /** The envelope itself when it refers to nothing. Throws when a part is missing or references are not well formed. */
  resolve(envelope: StoredEnvelope): Envelope
}

/**
 * Lists that are kept whole. The list of the next call is nearly always one of these and some items more; all lists
 * would be quadratic in the length of a conversation.
 */
const KEPT_LISTS = 32

/** How deep parts may refer to parts (of a list: besides its nodes). A deeper nest is an attack, not a record. */
const MAX_DEPTH = 2

export interface ResolverOptions {
  /** Characters that one envelope may have with its references replaced. For what a stranger wrote; default: any number. */
  readonly maxLength?: number
}

export function createResolver({ maxLength = Infinity }: ResolverOptions = {}): Resolver {
  const parts = new Map<string, Json>()
  const expandedLength = createExpandedLength((hash) => parts.get(hash))
  const lists = new Map<string, readonly Json[]>()

  function valueOf(hash: string): Json {
    const value = parts.get(hash)
    if (value === undefined)
      throw new ClewlineError('bad-file', `The part ${hash} is missing.`, {
        hint: 'Parts stand before the envelopes that refer to them. Export the thread again, from its start.',
      })
    return value
  }

  function resolved(value: Json, depth: number): Json {
    if (typeof value !== 'object' || value === null) return value
    if (isList(value)) {
      const items = value.map((item) => resolved(item, depth))
      return items.some((item, i) => item !== value[i]) ? items : value
    }
    const reference = referenceOf(value)
    if (reference !== null) {
      if (depth === MAX_DEPTH) throw malformed('references are nested too deep')
      if (reference.key === LIST_KEY) return listAt(reference.hash, depth + 1)
      return resolved(valueOf(reference.hash), depth + 1)
    }
    let copy: Record<string, Json> | null = null
    for (const [key, field] of Object.entries(value)) {
      const now = resolved(field, depth)
      const name = LOOKALIKE.test(key) && onlyKey(value) === key ? key.slice(1) : key
      if (now === field && name === key) continue
      copy ??= name === key ? { ...value } : {}
      copy[name] = now
    }
    return copy ?? value
  }

  function listAt(head: string, depth: number): readonly Json[] {
    const known = lists.get(head)
    if (known !== undefined) return known
    const nodes: (readonly Json[])[] = []
    let start: readonly Json[] = []
    // In a loop: a conversation is longer than the stack.
    for (let at: string | null = head; at !== null;) {
      const node = nodeOf(valueOf(at))
      nodes.push(node.items)
      if (nodes.length > parts.size) throw malformed('a list has no beginning')
      at = node.prev
      const before: readonly Json[] | undefined = at === null ? undefined : lists.get(at)
      if (before === undefined) continue
      start = before
      break
    }
    const list = [...start]
    for (const items of nodes.reverse()) for (const item of items) list.push(itemOf(item, depth))
    lists.set(head, list)
    for (const [oldest] of lists) {
      if (lists.size <= KEPT_LISTS) break
      lists.delete(oldest)
    }
    return list
  }

  // An item is the same object in every list that has it, so that what is known of it need not be found out again.
  const items = new WeakMap<object, Json>()
  function itemOf(item: Json, depth: number): Json {
    if (typeof item !== 'object' || item === null) return item
    let value = items.get(item)
    if (value === undefined) {
      value = resolved(item, depth)
      items.set(item, value)
    }
    return value
  }

  function missingIn(value: Json, found: Set<string>, depth: number): void {
    for (const { key, hash } of referencesIn(value)) {
      for (let at: string | null = hash; at !== null && !found.has(at);) {
        const part = parts.get(at)
        if (part === undefined) {
          found.add(at)
          break
        }
        if (depth < MAX_DEPTH) missingIn(part, found, depth + 1)
        if (key !== LIST_KEY || lists.has(at)) break
        at = nodeOf(part).prev
      }
    }
  }

  return {
    define: ({ part, value }) => void parts.set(part, value),
    missing({ payload }) {
      const found = new Set<string>()
      missingIn(payload, found, 0)
      return [...found]
    },
    resolve(envelope) {
      if (maxLength < Infinity && expandedLength(envelope.payload) > maxLength)
        throw malformed(`an envelope stands for more than ${maxLength} characters`)
      const payload = resolved(envelope.payload, 0)
      return (payload === envelope.payload ? envelope : { ...envelope, payload }) as Envelope
    },
  }
}

interface Reference {
  readonly key: typeof PART_KEY | typeof LIST_KEY
  readonly hash: string
}

function referenceOf(value: JsonObject): Reference | null {
  const key = onlyKey(value)
  if (key !== PART_KEY && key !== LIST_KEY) return null
  const hash = value[key]
  if (typeof hash !== 'string') throw malformed(`"${key}" is not a hash`)
  return { key, hash }
}

function* referencesIn(value: Json): Generator<Reference> {
  if (typeof value !== 'object' || value === null) return
  if (isList(value)) {
    for (const item of value) yield* referencesIn(item)
    return
  }
  const reference = referenceOf(value)
  if (reference !== null) yield reference
  else for (const field of Object.values(value)) yield* referencesIn(field)
}

function nodeOf(value: Json): { readonly prev: string | null; readonly items: readonly Json[] } {
  const { prev, items } = isRecord(value) ? value : {}
  if ((typeof prev === 'string' || prev === null) && items !== undefined && isList(items))
    return { prev, items }
  throw malformed('a list refers to something that is not a list')
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

function malformed(what: string): ClewlineError {
  return new ClewlineError('bad-file', `The parts of this log are not well formed: ${what}.`, {
    hint: 'The file was changed or made by another program. "clewline verify FILE" names the line.',
  })
}
