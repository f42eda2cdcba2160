import { isDeepStrictEqual } from 'node:util'
import type { Envelope, Json, Redactions } from '@clewline/core'
import type { Draft } from '@clewline/core/source'
import { redactedMark, type Redact, type RedactWhere } from './redact.ts'
import { redactPayload, type See } from './redact-payload.ts'

/** Redacts what is about to be recorded. */
export interface Redaction {
  /** With what may be recorded in the place of each value. `failures`: for how many values `redact` threw. */
  said<Said extends Draft | Envelope>(said: Said): { readonly said: Said; readonly failures: number }
  text(text: string, where: RedactWhere, agent: string | null): string
  value(value: Json, where: RedactWhere, agent: string | null): Json
}

interface Seen {
  readonly value: Json
  readonly kinds: Redactions
  readonly failures: number
}

const NONE: Redactions = {}
const MARK = /\[redacted: ([\w -]{1,40})\]/g

/** Memoised by object, place and agent: a message that is sent with each of a hundred calls is redacted once. */
export function createRedaction(redact: Redact): Redaction {
  const known = new WeakMap<object, Map<string, Seen>>()

  function look(value: Json, where: RedactWhere, agent: string | null): Seen {
    if (typeof value !== 'object' || value === null) return attempt(value, where, agent)
    const key = `${where} ${agent ?? ''}`
    const before = known.get(value)
    const found = before?.get(key)
    if (found !== undefined) return found
    const seen = attempt(value, where, agent)
    if (before === undefined) known.set(value, new Map([[key, seen]]))
    else before.set(key, seen)
    return seen
  }

  function attempt(value: Json, where: RedactWhere, agent: string | null): Seen {
    try {
      const redacted = redact(value, { where, agent })
      if (!isJson(redacted)) throw new TypeError('redact must return JSON, and not a promise')
      return { value: redacted, kinds: kindsOf(value, redacted), failures: 0 }
    } catch {
      return { value: redactedMark('error'), kinds: { error: 1 }, failures: 1 }
    }
  }

  function value(whole: Json, where: RedactWhere, agent: string | null): Json {
    return look(whole, where, agent).value
  }

  return {
    value,
    text: (text, where, agent) => textOf(value(text, where, agent)),
    said(said) {
      let failures = 0
      const kinds: Record<string, number> = { ...redactionsOf(said) }
      const seeing = (whole: Json, where: RedactWhere): Json => {
        const seen = look(whole, where, said.agent)
        failures += seen.failures
        for (const [kind, count] of Object.entries(seen.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count
        return seen.value
      }
      const see: See = { value: seeing, text: (text, where) => textOf(seeing(text, where)) }
      const payload = redactPayload(said, see)
      const isMarked = Object.keys(kinds).length > 0
      return {
        said: { ...said, payload: isMarked ? { ...payload, redacted: kinds } : payload },
        failures,
      }
    },
  }
}

/** Of a caller's own function, which the compiler may not have seen. */
function isJson(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && !(value instanceof Promise)
}

/** A log that was redacted before says so already. */
function redactionsOf({ type, payload }: Draft | Envelope): Redactions | undefined {
  return type === 'warning' || !('redacted' in payload) ? undefined : payload.redacted
}

/** A text stays a text. */
const textOf = (value: Json): string => (typeof value === 'string' ? value : redactedMark('value'))

/** The marks that are new. A change without a mark is one of kind `other`. */
function kindsOf(before: Json, after: Json): Redactions {
  if (after === before) return NONE
  const kinds: Record<string, number> = {}
  count(after, 1, kinds)
  if (Object.keys(kinds).length > 0) count(before, -1, kinds)
  const found = Object.entries(kinds).filter(([, times]) => times > 0)
  if (found.length > 0) return Object.fromEntries(found)
  return isDeepStrictEqual(before, after) ? NONE : { other: 1 }
}

/** How often each mark is in a text; undefined when none is. */
export function marksIn(text: string): Redactions | undefined {
  const kinds: Record<string, number> = {}
  count(text, 1, kinds)
  return Object.keys(kinds).length === 0 ? undefined : kinds
}

function count(value: Json, times: number, kinds: Record<string, number>): void {
  if (typeof value === 'string') {
    for (const [, kind = ''] of value.matchAll(MARK)) kinds[kind] = (kinds[kind] ?? 0) + times
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, field] of Object.entries(value)) {
      if (!Array.isArray(value)) count(key, times, kinds)
      count(field, times, kinds)
    }
  }
}
