import type { BaseMessage } from '@langchain/core/messages'

/** What the model answers to one prompt. Everything is streamed in the order of this list. */
export interface ScriptedTurn {
  /** Cut into words; give an array to choose the pieces. */
  readonly reasoning?: string | readonly string[]
  readonly text?: string | readonly string[]
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Null: the model reports none. */
  readonly usage?: ScriptedUsage | null
  readonly finishReason?: string
  /** Milliseconds before each piece. An abort ends the wait at once. */
  readonly delayMs?: number
  /** Thrown after all pieces, instead of an end. */
  readonly error?: Error | string
}

/** A tool call that the model makes. */
export interface ScriptedToolCall {
  /** Default: made of the turn and the place, the same at each run. */
  readonly id?: string
  readonly name: string
  /** Text is sent as it is, also when it is not JSON. */
  readonly args: Readonly<Record<string, unknown>> | string
}

/** Token counts that the model reports. */
export interface ScriptedUsage {
  readonly input_tokens: number
  readonly output_tokens: number
}

/**
 * A list answers by the number of assistant messages in the prompt, so that it keeps no state: two runs at once, a
 * resume and a recovered process all get the right turn. A function may look at whatever it likes.
 */
export type Script =
  | readonly ScriptedTurn[]
  | ((prompt: ScriptedPrompt) => ScriptedTurn | Promise<ScriptedTurn>)

/** What the model was asked. */
export interface ScriptedPrompt {
  readonly messages: readonly BaseMessage[]
  /** Assistant messages in the prompt. */
  readonly turn: number
  /** Names of the tools bound to the model. */
  readonly tools: readonly string[]
  /** Options of the call, such as `tool_choice`. */
  readonly options: Readonly<Record<string, unknown>>
}

/** The turn that a script answers a prompt with. */
export function turnOf(script: Script, prompt: ScriptedPrompt): ScriptedTurn | Promise<ScriptedTurn> {
  if (typeof script === 'function') return script(prompt)
  const turn = script[prompt.turn]
  if (turn === undefined)
    throw new Error(`The script has ${script.length} turns and was asked for turn ${prompt.turn + 1}.`)
  return turn
}
