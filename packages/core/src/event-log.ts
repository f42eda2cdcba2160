import type { Envelope } from './envelope.ts'

/** An envelope and where it stands in its thread's log. */
export interface Entry {
  /** 1, 2, 3 … per thread. */
  readonly position: number
  readonly envelope: Envelope
}

/** The record. Readers see an envelope only after `append` has it. The conformance suite is `@clewline/core/testing`. */
export interface EventLog {
  /** Appends all or nothing, in order; resolves with the last position once it is durable. */
  append(thread: string, envelopes: readonly Envelope[]): Promise<number>
  /**
   * What is there after `after`, in order, then what comes, without a gap or a duplicate; in batches as they are at hand,
   * none of them empty. Ends when `signal` aborts (that is not an error), or at the end of what is there when `follow`
   * is false.
   */
  read(thread: string, options?: ReadOptions): AsyncIterable<readonly Entry[]>
  /** Position of the newest envelope; 0 for a thread without any. */
  last(thread: string): Promise<number>
  /** Forgets the thread. Its readers end. */
  remove(thread: string): Promise<void>
}

/** From where to read, and whether to stay. */
export interface ReadOptions {
  /** Default 0: from the start. */
  readonly after?: number
  /** Default true: stay for what comes. */
  readonly follow?: boolean
  readonly signal?: AbortSignal
}
