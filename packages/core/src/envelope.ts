import type { Json, JsonObject } from './json.ts'

/** What a call says about itself. Closed on purpose: a new member is a protocol change (PROTOCOL.md). */
export type Envelope =
  | ToolStart
  | ToolUpdate
  | ToolEnd
  | LlmStart
  | LlmToken
  | LlmEnd
  | SubgraphCheckpoint
  | SubgraphResume
  | Warning
  | Failure

export type EnvelopeType = Envelope['type']

/** The version of PROTOCOL.md that this code writes. It reads every one up to it. */
export const PROTOCOL = 2

/** The fields that every envelope has, whatever it says. */
export interface Head {
  /** Seconds since the epoch, with fractions. */
  readonly ts: number
  /** One per request; it survives interrupt and resume. */
  readonly trace_id: string
  /** The run that emitted it. */
  readonly run_id: string
  /** One per invocation of a graph, sub-graph, sub-agent, tool or model; the same after a retry, a resume or a replay. */
  readonly call_id: string
  /** The enclosing call, or null for the root. */
  readonly parent_id: string | null
  /** 1, 2, 3 … per `call_id`, without a gap in the log, continuing across resume. */
  readonly seq: number
  /** `replay` when re-emitted from the log or from cached graph writes. */
  readonly origin: Origin
  /** Name of the agent that owns the call. */
  readonly agent: string
}

export type Origin = 'live' | 'replay'

/** How often something was redacted before it was recorded, by its kind. In its place stands `[redacted: KIND]`. */
export type Redactions = Readonly<Record<string, number>>

/** What runs inside a `tool_*` call. The root call of a run is a `graph`; a `node` is a step of a graph. */
export type CallKind = 'graph' | 'subgraph' | 'subagent' | 'tool' | 'node'

/** A call begins, or begins again: a second start on a `call_id` is its next attempt. */
export interface ToolStart extends Head {
  readonly type: 'tool_start'
  readonly payload: {
    readonly redacted?: Redactions
    readonly tool_name: string
    readonly kind: CallKind
    /** Arguments of a tool; a graph has `input` instead. */
    readonly args?: Json
    readonly input?: Json
    readonly node?: string
    readonly meta?: CallMeta
    /** 2, 3 … when the call is tried again. Absent means 1. */
    readonly attempt?: number
    /** Of a root: the version of the protocol that wrote the run. Absent means 1. */
    readonly protocol?: number
    /** Of a root: the settings that the run was started with. */
    readonly config?: JsonObject
    /** Of a root: the context that the agent was given. */
    readonly context?: Json
    /** Of a root: which code ran. */
    readonly code?: CodeVersion
    /** Of a root: who started the run; null when the service does not know its users. */
    readonly by?: string | null
  }
}

/** The agent's code, as its owner versions it. */
export interface CodeVersion {
  readonly name: string
  readonly version?: string
}

/** Facts about a call that readers may show or match on. Sources may add their own keys. */
export type CallMeta = JsonObject & {
  /** The model's id for the tool call that this call answers. */
  readonly tool_call_id?: string
}

/** Progress inside a call: text, a count, or what changed in the plan, the files or the state. */
export interface ToolUpdate extends Head {
  readonly type: 'tool_update'
  readonly payload: {
    readonly redacted?: Redactions
    readonly tool_name: string
    readonly text?: string
    readonly progress?: Progress
    readonly delta?: Delta
    /** Whatever else a tool yielded. */
    readonly data?: Json
    /** First `seq` this envelope stands for, when it stands for several. */
    readonly from_seq?: number
  }
}

export interface Progress {
  readonly done: number
  readonly total?: number
}

/** What a call changed. `todos` and each key of `state` replace; `files` merge by name. */
export interface Delta {
  readonly todos?: readonly Todo[]
  readonly files?: FilesDelta
  readonly state?: JsonObject
}

/** A step of the plan. */
export interface Todo {
  readonly content: string
  readonly status: 'pending' | 'in_progress' | 'completed'
}

/** Names to whole new contents, so that any moment can be shown without replaying edits. */
export interface FilesDelta {
  readonly added?: Readonly<Record<string, string>>
  readonly changed?: Readonly<Record<string, string>>
  readonly removed?: readonly string[]
}

/** The call is over. For graph, subgraph and subagent the result is a `Completion`. */
export interface ToolEnd extends Head {
  readonly type: 'tool_end'
  readonly payload: {
    readonly redacted?: Redactions
    readonly tool_name: string
    /** Of a node: its update of the state. */
    readonly result: Json
    readonly status: EndStatus
    /** What the tool returned, whole: a message with its artifact, a command, content blocks. Absent when `result` is all. */
    readonly raw?: Json
  }
}

/** `pending_frontend`: the client must run this tool and bring its result in the next run. */
export type EndStatus = 'ok' | 'cancelled' | 'pending_frontend'

/** The normalised result of a graph, sub-graph or sub-agent. */
export type Completion = JsonObject & {
  readonly messages: readonly Message[]
  readonly files: Readonly<Record<string, string>>
  readonly usage: Usage
  /** The graph's own output, as its schema has it. */
  readonly output?: Json
}

/** A chat message, the same whatever framework it came from. */
export type Message = JsonObject & {
  readonly id: string
  readonly role: 'user' | 'assistant' | 'system' | 'tool'
  readonly text: string
  readonly name?: string
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
  readonly status?: 'success' | 'error'
  readonly reasoning?: string
  /** Content blocks, when there is more than text: images, audio, files, citations. */
  readonly content?: readonly Json[]
}

/** A tool call as the model asked for it. */
export interface ToolCall extends JsonObject {
  readonly id: string
  readonly name: string
  readonly args: Json
}

/** Tokens. Absent counts are unknown, not zero. */
export type Usage = JsonObject & {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly total_tokens?: number
  readonly cached_tokens?: number
  readonly reasoning_tokens?: number
}

/** A model call begins, or begins again. */
export interface LlmStart extends Head {
  readonly type: 'llm_start'
  readonly payload: {
    readonly redacted?: Redactions
    readonly model: string
    readonly params: JsonObject
    readonly node?: string
    readonly attempt?: number
    /** What the model was asked. Absent where the source cannot see it. */
    readonly input?: ModelInput
  }
}

/** Everything that a model call depends on besides `params`. */
export interface ModelInput {
  /** The whole conversation as it was sent, system prompt first. */
  readonly messages: readonly RawMessage[]
  /** The tools that were offered, with their schemas. */
  readonly tools?: readonly Json[]
  readonly tool_choice?: Json
  readonly response_format?: Json
}

/**
 * A message with every field that its framework gave it, so that the very same one can be made of it again. For
 * LangChain: `type` (`system`, `human`, `ai`, `tool` …), `content` and whatever else the constructor takes.
 */
export interface RawMessage extends JsonObject {
  readonly type: string
  readonly content: Json
}

/** A piece of what the model says: text, reasoning, or the arguments of a tool call. */
export interface LlmToken extends Head {
  readonly type: 'llm_token'
  readonly payload: {
    readonly redacted?: Redactions
    readonly text: string
    /** Absent means `text`. */
    readonly channel?: Channel
    /** Which tool call these `tool_args` belong to. `id` and `name` come with its first piece at the latest. */
    readonly tool_call?: ToolCallRef
    /** With the first piece, if the source knows it: the id of the message that `llm_end` will carry. */
    readonly message_id?: string
    readonly logprob?: number
    readonly from_seq?: number
  }
}

export type Channel = 'text' | 'reasoning' | 'tool_args'

export interface ToolCallRef {
  readonly id: string
  readonly name: string
  readonly index: number
}

/** The model has answered. */
export interface LlmEnd extends Head {
  readonly type: 'llm_end'
  readonly payload: {
    readonly redacted?: Redactions
    readonly usage: Usage
    readonly finish_reason: string
    readonly message: LlmMessage
    /** The answer, whole. Absent where the source cannot see it, and when the call was cut off. */
    readonly raw?: RawMessage
  }
}

export interface LlmMessage {
  readonly id: string
  readonly text: string
  readonly tool_calls: readonly ToolCall[]
  readonly reasoning?: string
  /** Content blocks, when there is more than text. */
  readonly content?: readonly Json[]
}

/** State was saved. With `interrupts` the call waits for an answer: a pause, not an end. */
export interface SubgraphCheckpoint extends Head {
  readonly type: 'subgraph_checkpoint'
  readonly payload: {
    readonly redacted?: Redactions
    readonly checkpoint_id: string
    readonly node: string
    readonly state_digest: string
    readonly interrupts?: readonly Interrupt[]
  }
}

/** A question to a human, raised at the call that carries the checkpoint. */
export interface Interrupt {
  /** Where it waits. A node that asks several times asks all its questions under one id. */
  readonly id: string
  /** The very question: sent back with the answer, the answer is refused once another one is open under the id. */
  readonly question_id?: string
  readonly value: Json
  readonly tool_call_id?: string
}

/** The call goes on from a saved state, after an interrupt or in another process. */
export interface SubgraphResume extends Head {
  readonly type: 'subgraph_resume'
  readonly payload: {
    readonly redacted?: Redactions
    readonly checkpoint_id: string
    readonly node: string
    /** The decisions that let it go on. Absent when it goes on by itself, in another process. */
    readonly answers?: readonly Decision[]
  }
}

/** Who answered which question, and what. */
export interface Decision {
  readonly interrupt_id: string
  /** Which of the questions under one interrupt id it answers. Absent where the source does not tell them apart. */
  readonly question_id?: string
  readonly value: Json
  /** The authenticated user; null when the service does not know its users. */
  readonly by: string | null
  /** Seconds since the epoch. */
  readonly at: number
}

/** Something a person should know; the call goes on. Facts are extra keys of the payload. */
export interface Warning extends Head {
  readonly type: 'warning'
  readonly payload: {
    readonly code: string
    readonly message: string
    readonly [fact: string]: Json
  }
}

/** The call failed; it is over unless a new attempt starts. */
export interface Failure extends Head {
  readonly type: 'error'
  readonly payload: {
    readonly redacted?: Redactions
    readonly name: string
    readonly message: string
    readonly stack: string
    readonly class: string
    /** The error's own fields, such as a status code. */
    readonly fields?: JsonObject
  }
}
