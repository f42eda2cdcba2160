import type { CallKind, Interrupt, Usage } from '@clewline/core'
import { dialectOf } from './dialect.ts'
import type { Dialect } from './dialect.ts'
import { growOnlyMap, type GrowOnlyMap } from './grow-only-map.ts'

/** All that the translator remembers: immutable plain JSON, so a stream can be cut and resumed anywhere. */
export interface TranslatorState {
  readonly thread: string
  readonly dialect: Dialect
  readonly run: string
  /** `over` also before the first run. */
  readonly phase: 'open' | 'over'
  readonly trace: string | null
  /** Calls that have started and not ended, by `call_id`. They outlive an interrupted run. */
  readonly calls: Readonly<Record<string, OpenCall>>
  /** Tool calls that the client has seen, by the model's id for them. */
  readonly toolCalls: GrowOnlyMap<ShownToolCall>
  /** Those of them whose arguments are still coming. */
  readonly streaming: readonly string[]
  /** Ids of messages that the client has. */
  readonly known: GrowOnlyMap<true>
  /** Ids of assistant messages that this run has streamed into the main chat. */
  readonly said: GrowOnlyMap<true>
  readonly interrupts: readonly RaisedInterrupt[]
  /** Tool calls that wait for the client. */
  readonly pending: readonly string[]
  readonly usage: Readonly<Record<string, Usage>>
  /** Whether the client's state has an object at `/files`, into which a patch may add. */
  readonly hasFiles: boolean
  /** Something was streamed that the final messages do not hold: a failed attempt, a message under another id. */
  readonly isDiverged: boolean
}

export interface OpenCall {
  readonly id: string
  readonly parent: string | null
  readonly kind: CallKind | 'llm'
  /** Name of the tool, graph, sub-agent or model. */
  readonly name: string
  /** The innermost sub-agent around it, or null in the main chat. */
  readonly owner: string | null
  readonly attempt: number
  /** The step that is open while this call is. */
  readonly step?: string
  readonly toolCallId?: string
  /** Said when the sub-agent starts, again after a resume. */
  readonly description?: string
  /** Whether this run has announced the sub-agent. */
  readonly isAnnounced?: boolean
  readonly message?: OpenMessage
}

/** What a model call is saying. */
export interface OpenMessage {
  readonly id: string
  readonly isTextOpen: boolean
  readonly hasText: boolean
  /** Id of the reasoning message that is open. */
  readonly reasoning: string | null
  readonly reasonings: number
}

export interface ShownToolCall {
  readonly call: string | null
  readonly owner: string | null
  readonly isOpen: boolean
  readonly isAnswered: boolean
}

export interface RaisedInterrupt extends Interrupt {
  readonly owner: string | null
}

/** Who the events are for. */
export interface TranslatorOptions {
  readonly thread_id: string
  /** AG-UI version of the client; absent means the oldest that we serve, 0.0.37. */
  readonly version?: string
  /** Ids of messages that the client has. */
  readonly known?: readonly string[]
  /** Whether the state that the client was shown has an object `files`. */
  readonly hasFiles?: boolean
}

/** The state before the first envelope. */
export function initialState(options: TranslatorOptions): TranslatorState {
  return {
    thread: options.thread_id,
    dialect: dialectOf(options.version),
    run: '',
    phase: 'over',
    trace: null,
    calls: {},
    toolCalls: growOnlyMap(),
    streaming: [],
    known: growOnlyMap((options.known ?? []).map((id) => [id, true as const])),
    said: growOnlyMap(),
    interrupts: [],
    pending: [],
    usage: {},
    hasFiles: options.hasFiles ?? false,
    isDiverged: false,
  }
}
