import type { Envelope } from '../envelope.ts'

/** Closed: one member per rule of PROTOCOL.md that a stream can break. */
export type Rule =
  /** A call says something before its start, or other than a warning after its end. */
  | 'not-open'
  /** A call has no terminal and does not wait for an answer either. */
  | 'no-end'
  /** `seq` is not contiguous: it has a gap, a duplicate, or goes back. */
  | 'seq'
  /** `attempt` does not count the starts of the call. */
  | 'attempt'
  /** The enclosing call is unknown, not open, or another than before. */
  | 'parent'
  /** A call ends while calls inside it are open. */
  | 'open-children'
  /** A trace has a second root, or a root or a child of the wrong kind. */
  | 'root'
  /** A model call says what only a tool call can say, or the other way round. */
  | 'mixed'
  /** An interrupt is raised again while it waits, or passed over without a resume. */
  | 'interrupt'
  /** A payload lacks what its type and kind ask for. */
  | 'payload'

/** A rule that a stream breaks, and where. */
export interface Violation {
  /** 1, 2, 3 … in the stream that was checked. */
  readonly position: number
  readonly rule: Rule
  /** A sentence for people. */
  readonly message: string
  readonly envelope: Envelope
}
