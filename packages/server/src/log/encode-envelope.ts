import type { Envelope } from '@clewline/core'
import { createInterner, type NewPart, type StoredEnvelope } from '@clewline/core/parts'

/** An envelope as JSON, and the parts that must stand before it. */
export interface Encoded {
  readonly json: string
  readonly parts: readonly NewPart[]
}

export type Encode = (envelope: Envelope) => Encoded

/** JSON with every value in its place: what readers with profile `user` get. */
export const encodeWhole: Encode = (envelope) => ({ json: JSON.stringify(envelope), parts: [] })

/**
 * Encodes for a log. Content-addressed: what is large or repeated becomes a part, and a part that the log has is only
 * referred to. `known` has the names of those that it has, and gets the new ones.
 */
export function logEncoder(): (known: Set<string>) => Encode {
  const intern = createInterner()
  const encode = envelopeEncoder()
  return (known) => {
    const isKnown = (name: string): boolean => {
      const size = known.size
      return known.add(name).size === size
    }
    return (whole) => {
      const { envelope, parts } = intern(whole, isKnown)
      return { json: encode(envelope), parts }
    }
  }
}

/** The fields that every envelope has. */
type Head = Omit<StoredEnvelope, 'type' | 'payload'>

/** What the tokens of a call have in common: all of the head but its time and `seq`. */
type SharedKey = Exclude<keyof Head, 'ts' | 'seq'>

/**
 * JSON of envelopes, the same text as `JSON.stringify`'s. Of a token's 300 bytes only its time, `seq` and payload are
 * new, so the rest is encoded once per call: a third of the cost.
 */
export function envelopeEncoder(): (envelope: StoredEnvelope) => string {
  const calls = new Map<string, SharedText>()

  return (envelope) => {
    if (envelope.type !== 'llm_token') {
      if (envelope.type === 'llm_end' || envelope.type === 'error') calls.delete(envelope.call_id)
      return JSON.stringify(envelope)
    }
    let shared = calls.get(envelope.call_id)
    if (shared === undefined || !hasSameHead(shared.of, envelope)) {
      shared = sharedText(envelope)
      calls.set(envelope.call_id, shared)
    }
    return `{"type":"llm_token","ts":${envelope.ts}${shared.beforeSeq}${envelope.seq}${shared.afterSeq}${JSON.stringify(envelope.payload)}}`
  }
}

interface SharedText {
  readonly of: Head
  readonly beforeSeq: string
  readonly afterSeq: string
}

function sharedText(of: Head): SharedText {
  const ids = { trace_id: of.trace_id, run_id: of.run_id, call_id: of.call_id, parent_id: of.parent_id }
  const rest = { origin: of.origin, agent: of.agent }
  // A field that `Head` gets must be written here; `satisfies` stops the compiler for an optional one, too.
  void ({ ...ids, ...rest } satisfies Record<SharedKey, unknown>)
  return {
    of,
    beforeSeq: `,${JSON.stringify(ids).slice(1, -1)},"seq":`,
    afterSeq: `,${JSON.stringify(rest).slice(1, -1)},"payload":`,
  }
}

/** Every key of the head that is shared: as a record, so that none can be missing. */
const SHARED_KEYS = Object.values({
  trace_id: 'trace_id',
  run_id: 'run_id',
  call_id: 'call_id',
  parent_id: 'parent_id',
  origin: 'origin',
  agent: 'agent',
} as const satisfies { [Key in SharedKey]-?: Key })

function hasSameHead(a: Head, b: Head): boolean {
  for (const key of SHARED_KEYS) if (a[key] !== b[key]) return false
  return true
}
