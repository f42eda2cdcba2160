import type { Envelope, Origin } from '../envelope.ts'

/**
 * Where a call stands: the root is `[]`, a child is its parent's path and one more segment, made of what survives
 * a resume (tool-call ids, checkpoint task ids, ordinals). The `call_id` is derived from it.
 */
export type CallPath = readonly string[]

/** What a source says; the ledger adds ids, `seq` and time. */
export type Draft = { [T in Envelope['type']]: DraftOf<Extract<Envelope, { type: T }>> }[Envelope['type']]

interface DraftOf<E extends Envelope> {
  readonly type: E['type']
  readonly path: CallPath
  readonly payload: E['payload']
  readonly agent: string
  /** Absent means `live`. */
  readonly origin?: Origin
  /** Absent means now. */
  readonly ts?: number
}
