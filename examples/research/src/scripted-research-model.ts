import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelParams,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import {
  AIMessage,
  AIMessageChunk,
  type AIMessageChunkFields,
  type BaseMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { CRITIC_PROMPT, RESEARCHER_PROMPT } from './prompts.ts'
import { criticise } from './script/critic.ts'
import { edit } from './script/editor.ts'
import { research } from './script/researcher.ts'
import { readConversation, type Turn } from './script/turn.ts'

const MODEL_NAME = 'scripted-offline'
const DEFAULT_PACE_MS = 40
// Arguments are written in longer pieces than prose, or a report of a page would take a minute.
const ARGS_PIECE = 28

export interface ScriptedResearchModelFields extends BaseChatModelParams {
  /** Milliseconds between two tokens; 0 for tests. Default 40. */
  readonly paceMs?: number
}

/**
 * Plays the research agent without a provider, for demos and tests. What it says depends on the conversation alone, so a
 * run that was interrupted, resumed or taken up by another process goes on as if nothing had happened.
 */
export class ScriptedResearchModel extends BaseChatModel {
  readonly model = MODEL_NAME
  readonly #paceMs: number

  constructor(fields: ScriptedResearchModelFields = {}) {
    super(fields)
    this.#paceMs = fields.paceMs ?? DEFAULT_PACE_MS
  }

  static override lc_name(): string {
    return 'ScriptedResearchModel'
  }

  override _llmType(): string {
    return MODEL_NAME
  }

  override getLsParams(options: this['ParsedCallOptions']) {
    return { ...super.getLsParams(options), ls_provider: 'scripted', ls_model_name: MODEL_NAME }
  }

  // The script knows its tools; nothing has to be sent to anybody.
  override bindTools(_tools: BindToolsInput[]): this {
    return this
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    let whole: ChatGenerationChunk | undefined
    for await (const chunk of this._streamResponseChunks(messages, options, runManager)) {
      whole = whole === undefined ? chunk : whole.concat(chunk)
    }
    const message = whole?.message ?? new AIMessage('')
    return { generations: [{ text: whole?.text ?? '', message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const turn = nextTurn(messages)
    const key = createHash('sha256')
      .update(JSON.stringify(messages.map(fingerprint)))
      .digest('hex')
      .slice(0, 16)
    const id = `msg_${key}`
    for (const piece of pieces(turn, key)) {
      if (this.#paceMs > 0) await sleep(this.#paceMs, undefined, { signal: options.signal })
      else options.signal?.throwIfAborted()
      const chunk = new ChatGenerationChunk({
        text: piece.text,
        message: new AIMessageChunk({ id, ...piece.fields }),
      })
      yield chunk
      await runManager?.handleLLMNewToken(piece.text, undefined, undefined, undefined, undefined, { chunk })
    }
    const { usage_metadata, response_metadata } = closing(turn, messages)
    // The field has the type `never` under `exactOptionalPropertyTypes` (core 1.2.13), the property has not.
    const message = Object.assign(new AIMessageChunk({ id, content: '', response_metadata }), {
      usage_metadata,
    })
    yield new ChatGenerationChunk({ text: '', message })
  }
}

function nextTurn(messages: readonly BaseMessage[]): Turn {
  const conversation = readConversation(messages)
  if (conversation.system.includes(RESEARCHER_PROMPT)) return research(conversation)
  if (conversation.system.includes(CRITIC_PROMPT)) return criticise(conversation)
  return edit(conversation)
}

interface Piece {
  readonly text: string
  readonly fields: AIMessageChunkFields
}

function* pieces(turn: Turn, key: string): Generator<Piece> {
  for (const word of words(turn.reasoning ?? '')) {
    yield { text: '', fields: { content: '', additional_kwargs: { reasoning_content: word } } }
  }
  for (const word of words(turn.text ?? '')) yield { text: word, fields: { content: word } }
  for (const [position, call] of (turn.calls ?? []).entries()) {
    // From 1: LangChain's bridge for streamEvents v3 takes index 0 for the text and would drop the call (core 1.2.13).
    const index = position + 1
    const args = JSON.stringify(call.args)
    for (let at = 0; at < args.length; at += ARGS_PIECE) {
      const first = at === 0 ? { id: `call_${key}_${index}`, name: call.name } : {}
      const piece = {
        type: 'tool_call_chunk' as const,
        index,
        args: args.slice(at, at + ARGS_PIECE),
        ...first,
      }
      yield { text: '', fields: { content: '', tool_call_chunks: [piece] } }
    }
  }
}

function words(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? []
}

/** Finish reason and token counts, estimated at four characters each. */
function closing(turn: Turn, messages: readonly BaseMessage[]) {
  const tokens = (text: string): number => Math.ceil(text.length / 4)
  const input_tokens = messages.reduce((sum, message) => sum + tokens(message.text) + 4, 0)
  const reasoning = tokens(turn.reasoning ?? '')
  const output_tokens = reasoning + tokens(turn.text ?? '') + tokens(JSON.stringify(turn.calls ?? ''))
  const usage_metadata: UsageMetadata = {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    output_token_details: { reasoning },
  }
  return {
    usage_metadata,
    response_metadata: {
      model_name: MODEL_NAME,
      finish_reason: turn.calls === undefined || turn.calls.length === 0 ? 'stop' : 'tool_calls',
    },
  }
}

function fingerprint(message: BaseMessage): unknown {
  const calls = 'tool_calls' in message ? message.tool_calls : undefined
  return [message.type, message.text, calls]
}
