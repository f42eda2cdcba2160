import type { Json } from '@clewline/core'

/** What a value is that is about to be recorded. Closed, so that a `switch` over it can be complete. */
export type RedactWhere =
  /** A message, a tool or a setting that a model is sent. */
  | 'llm_input'
  /** The answer of a model, or a part of it. */
  | 'llm_output'
  /** A stretch of what a model or a tool says while it runs: always a text. */
  | 'token'
  | 'tool_input'
  | 'tool_output'
  /** A message of a conversation, in the result of a graph. */
  | 'message'
  /** Input, output and state of graphs and nodes, and the plan. */
  | 'state'
  /** The name or the content of a file. */
  | 'file'
  | 'error'
  /** What an interrupt asks. */
  | 'question'
  | 'answer'
  /** Of a thread. */
  | 'title'
  /** Settings and context of a run. */
  | 'config'
  /** What a tool or a node says in a form of its own, facts of the source, warnings. */
  | 'custom'

export interface RedactContext {
  readonly where: RedactWhere
  /** The agent that owns the call; null where there is none yet, such as for the title of a thread. */
  readonly agent: string | null
}

/**
 * Gives what is recorded in the place of a value. Called before anything is written, synchronously. The same value gives
 * the same result, since results are kept by object. A mark `[redacted: KIND]` in a text is counted in the envelope. What it
 * throws is not recorded, and neither is the value.
 */
export type Redact = (value: Json, context: RedactContext) => Json

/** What stands in a text in the place of what was redacted. */
export const redactedMark = (kind: string): string => `[redacted: ${kind}]`
