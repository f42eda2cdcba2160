import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BaseLanguageModelInput } from '@langchain/core/language_models/base'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage, type StandardMessageStructure } from '@langchain/core/messages'
import type { ToolCallChunk } from '@langchain/core/messages/tool'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import type { Runnable } from '@langchain/core/runnables'
import { sleep } from '@clewline/core'
import { type Script, type ScriptedToolCall, type ScriptedTurn, turnOf } from './scripted-turn.ts'

interface ScriptedCallOptions extends BaseChatModelCallOptions {
  tools?: BindToolsInput[]
}

/** A chat model that answers from a script and streams like a provider does. For tests, examples and benchmarks. */
export function scriptedModel(script: Script, options: { name?: string } = {}): ScriptedChatModel {
  return new ScriptedChatModel({ script, modelName: options.name ?? 'scripted' })
}

/** The chat model of `scriptedModel`, for `instanceof` and subclasses. */
export class ScriptedChatModel extends BaseChatModel<ScriptedCallOptions> {
  readonly script: Script
  readonly modelName: string

  static override lc_name(): string {
    return 'ScriptedChatModel'
  }

  constructor(fields: { script: Script; modelName: string }) {
    super({})
    this.script = fields.script
    this.modelName = fields.modelName
  }

  /** LangChain's agents ask a model for its name under this key. */
  get model(): string {
    return this.modelName
  }

  override _llmType(): string {
    return 'scripted'
  }

  override getLsParams(options: this['ParsedCallOptions']) {
    return { ...super.getLsParams(options), ls_provider: 'scripted', ls_model_name: this.modelName }
  }

  override bindTools(
    tools: BindToolsInput[],
    kwargs?: Partial<ScriptedCallOptions>,
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, ScriptedCallOptions> {
    return this.withConfig({ tools, ...kwargs })
  }

  override async _generate(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    let all: ChatGenerationChunk | undefined
    for await (const chunk of this.pieces(messages, options, runManager))
      all = all === undefined ? chunk : all.concat(chunk)
    return { generations: all === undefined ? [] : [all] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const chunk of this.pieces(messages, options, runManager)) {
      yield chunk
      await runManager?.handleLLMNewToken(chunk.text, undefined, undefined, undefined, undefined, { chunk })
    }
  }

  private async *pieces(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const turn = messages.filter((message) => message.getType() === 'ai').length
    const tools = (options.tools ?? []).map(nameOf)
    const scripted = await turnOf(this.script, { messages, turn, tools, options: { ...options } })
    const { delayMs = 0 } = scripted
    const base = runManager === undefined ? {} : { id: `run-${runManager.runId}` }
    for (const message of chunksOf(scripted, { base, turn, model: this.modelName })) {
      options.signal?.throwIfAborted()
      await (delayMs > 0 ? sleep(delayMs, options.signal) : undefined)
      yield new ChatGenerationChunk({ text: message.text, message })
    }
    if (scripted.error !== undefined)
      throw typeof scripted.error === 'string' ? new Error(scripted.error) : scripted.error
  }
}

interface Making {
  readonly base: { id?: string }
  readonly turn: number
  readonly model: string
}

function* chunksOf(turn: ScriptedTurn, { base, turn: number, model }: Making): Generator<AIMessageChunk> {
  for (const reasoning of cut(turn.reasoning))
    yield new AIMessageChunk({ ...base, content: [{ type: 'reasoning', reasoning, index: 0 }] })
  for (const content of cut(turn.text)) yield new AIMessageChunk({ ...base, content })
  for (const [index, call] of (turn.toolCalls ?? []).entries())
    for (const piece of toolCallPieces(call, index, number))
      yield new AIMessageChunk({ ...base, content: '', tool_call_chunks: [piece] })
  if (turn.error !== undefined) return
  const finish_reason = turn.finishReason ?? (turn.toolCalls?.length ? 'tool_calls' : 'stop')
  const { usage = { input_tokens: 10, output_tokens: 5 } } = turn
  yield new AIMessageChunk<StandardMessageStructure>({
    ...base,
    content: '',
    ...(usage !== null && {
      usage_metadata: { ...usage, total_tokens: usage.input_tokens + usage.output_tokens },
    }),
    response_metadata: { finish_reason, model_name: model },
  })
}

function* toolCallPieces(call: ScriptedToolCall, index: number, turn: number): Generator<ToolCallChunk> {
  const id = call.id ?? `call_${turn + 1}_${index + 1}`
  const args = typeof call.args === 'string' ? call.args : JSON.stringify(call.args)
  yield { type: 'tool_call_chunk', index, id, name: call.name, args: args.slice(0, 8) }
  for (let from = 8; from < args.length; from += 8)
    yield { type: 'tool_call_chunk', index, args: args.slice(from, from + 8) }
}

function cut(text: string | readonly string[] | undefined): readonly string[] {
  if (typeof text === 'string') return text.match(/\s*\S+\s*|\s+/g) ?? []
  return text ?? []
}

function nameOf(tool: BindToolsInput): string {
  if ('name' in tool && typeof tool.name === 'string') return tool.name
  if ('function' in tool && typeof tool.function === 'object' && tool.function !== null)
    return 'name' in tool.function ? String(tool.function.name) : ''
  return ''
}
