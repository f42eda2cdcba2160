import type { Envelope } from '../envelope.ts'
import { isRecord } from '../is-record.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIST_KEY, LOOKALIKE, onlyKey, PART_KEY, type StoredEnvelope } from './part.ts'
import { partHash } from './part-hash.ts'

/** A part on its way into a log, as the JSON text that its hash is of. */
export interface NewPart {
  readonly hash: string
  readonly json: string
}

/** An envelope as it is to be written, and the parts that must stand before it. */
export interface Interned {
  readonly envelope: StoredEnvelope
  /** Only those that the log does not have yet. */
  readonly parts: readonly NewPart[]
}

/** Texts from here on are parts: below it a reference and its part cost more than the text. */
const MIN_TEXT = 256

/** Lists of messages from here on are chains of parts, wherever they are. */
const LONG_LIST = 4

type Way = (value: Json) => Form

/** A value with references in it, and every part it refers to, the innermost first. */
interface Form {
  readonly value: Json
  readonly parts: readonly NewPart[]
}

/**
 * Puts references in the place of large texts, of the tools and of the messages that a model was given. `isKnown` says
 * whether the log has a part, and is asked once for each: it must count the ones that it is asked for as known.
 *
 * Values of envelopes never change, so what was made of an object is remembered for as long as the object lives: a
 * message that is sent with each of a hundred calls is looked at once.
 */
export function createInterner(): (envelope: Envelope, isKnown: (hash: string) => boolean) => Interned {
  const forms = new WeakMap<object, Form>()
  const nodes = new WeakMap<object, Map<string | null, NewPart>>()

  /** A value inside a part: no lists in there, so that references stay two deep. */
  function formOf(value: Json): Form {
    if (typeof value !== 'object' || value === null) return formOfText(value)
    let form = forms.get(value)
    if (form === undefined) {
      form = isList(value) ? formOfList(value, formOf) : formOfFields(value, () => formOf)
      forms.set(value, form)
    }
    return form
  }

  /** A value in a payload. */
  function formInPayload(value: Json): Form {
    if (typeof value !== 'object' || value === null) return formOfText(value)
    if (isList(value)) return formOfList(value, formInPayload)
    return formOfFields(value, (key, field) => (isConversation(key, field) ? listOf : formInPayload))
  }

  function formOfText(value: Json): Form {
    return typeof value === 'string' && value.length >= MIN_TEXT ? partOf(value) : plain(value)
  }

  /** The value as a part of its own, after those inside it. */
  function partOf(value: Json): Form {
    const inner = typeof value === 'string' ? plain(value) : formOf(value)
    const part = newPart(inner.value)
    return { value: { [PART_KEY]: part.hash }, parts: [...inner.parts, part] }
  }

  function listOf(list: Json): Form {
    if (!isList(list) || list.length === 0) return formInPayload(list)
    const parts: NewPart[] = []
    let prev: string | null = null
    for (const item of list) {
      const form = formOf(item)
      const node = nodeOf(item, form.value, prev)
      parts.push(...form.parts, node)
      prev = node.hash
    }
    return { value: { [LIST_KEY]: prev }, parts }
  }

  function nodeOf(item: Json, value: Json, prev: string | null): NewPart {
    if (typeof item !== 'object' || item === null) return newPart({ prev, items: [value] })
    const after = nodes.get(item) ?? new Map<string | null, NewPart>()
    nodes.set(item, after)
    let node = after.get(prev)
    if (node === undefined) {
      node = newPart({ prev, items: [value] })
      after.set(prev, node)
    }
    return node
  }

  /** What a model was given: the same tools with each call, and the same messages and some more. */
  function formOfInput(input: Json): Form {
    if (!isRecord(input)) return formInPayload(input)
    return formOfFields(input, (key) => WAYS[key] ?? formInPayload)
  }

  const WAYS: Readonly<Record<string, (value: Json) => Form>> = { messages: listOf, tools: partOf }

  return (envelope, isKnown) => {
    // The hot path: a token is small.
    if (envelope.type === 'llm_token' && envelope.payload.text.length < MIN_TEXT)
      return { envelope: asStored(envelope), parts: [] }
    const stored = asStored(envelope)
    const isAsked = (key: string): boolean => key === 'input' && envelope.type === 'llm_start'
    const { value, parts } = formOfFields(stored.payload, (key) =>
      isAsked(key) ? formOfInput : formInPayload,
    )
    if (value === stored.payload || !isRecord(value)) return { envelope: stored, parts: [] }
    return { envelope: { ...stored, payload: value }, parts: parts.filter(({ hash }) => !isKnown(hash)) }
  }
}

function formOfList(list: readonly Json[], way: Way): Form {
  const items = list.map(way)
  if (items.every((item, i) => item.value === list[i])) return plain(list)
  return { value: items.map((item) => item.value), parts: items.flatMap((item) => item.parts) }
}

function formOfFields(fields: JsonObject, wayOf: (key: string, field: Json) => Way): Form {
  const parts: NewPart[] = []
  let copy: Record<string, Json> | null = null
  for (const [key, field] of Object.entries(fields)) {
    const form = wayOf(key, field)(field)
    if (form.value === field) continue
    copy ??= { ...fields }
    copy[key] = form.value
    parts.push(...form.parts)
  }
  const value = copy ?? fields
  const key = onlyKey(fields)
  const isLookalike = key !== undefined && LOOKALIKE.test(key)
  return { value: isLookalike ? { [`$${key}`]: value[key]! } : value, parts }
}

/** A state or a result that holds a conversation holds it again, and a little longer, after each turn. */
const isConversation = (key: string, value: Json): boolean =>
  key === 'messages' && isList(value) && value.length >= LONG_LIST

const plain = (value: Json): Form => ({ value, parts: [] })

function newPart(value: Json): NewPart {
  const json = JSON.stringify(value)
  return { hash: partHash(json), json }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

/** Every payload is JSON; its interface has no index signature to say so. */
const asStored = (envelope: Envelope): StoredEnvelope => envelope as StoredEnvelope
