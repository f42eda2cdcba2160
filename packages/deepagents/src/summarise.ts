import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  getBufferString,
  type BaseMessage,
} from '@langchain/core/messages'
import { Command, REMOVE_ALL_MESSAGES } from '@langchain/langgraph'
import { summarizationMiddleware, type AgentMiddleware, type WrapModelCallHook } from 'langchain'
import { keepFile, nameFor, type Keeper } from './keep-file.ts'
import { report } from './report.ts'

/** When a conversation is summarised, as fractions of the model's context. */
export interface SummariseOptions {
  /** Where it is summarised. Default 0.85. */
  readonly at?: number
  /** How much of its end stays as it is. Default 0.1. */
  readonly keep?: number
  /** The context in tokens. Default: what the model's profile says, or 64,000. */
  readonly contextSize?: number
  /** Who summarises. Default: the agent's own model. */
  readonly model?: BaseChatModel
}

const CHARACTERS_PER_TOKEN = 4
const UNKNOWN_CONTEXT_SIZE = 64_000

/**
 * Before a request would fill the model's context, the older part of the conversation is replaced by a summary and saved
 * as a file; the user's request stays as it is. LangChain's summarisation, but around the model call: as a hook before it,
 * it would cost every turn a superstep.
 */
export function summarise(
  agentModel: BaseChatModel,
  options: SummariseOptions,
  agent: Keeper & { readonly name: string },
): WrapModelCallHook {
  const { at = 0.85, keep = 0.1, model = agentModel } = options
  return async (request, handler) => {
    const { messages, runtime } = request
    const characters = messages.reduce((sum, message) => sum + lengthOf(message), 0)
    // No model has a context this small: the profile, which may have to be loaded, is not asked for.
    if (characters < 4000 && options.contextSize === undefined) return handler(request)
    const size = options.contextSize ?? contextSizeOf(agentModel)
    if (characters < at * size * CHARACTERS_PER_TOKEN) return handler(request)

    const [first, ...others] = messages
    const asked = first !== undefined && isShort(first, size) ? [first] : []
    const rest = asked.length === 0 ? messages : others
    const short = await summaryOf(rest, { model, keep: Math.floor(keep * size), size }, runtime)
    if (short === undefined) return handler(request)
    const number = summariesIn(messages) + 1
    const removed = rest.slice(0, rest.length - short.kept.length)
    const content = getBufferString(removed)
    const file = nameFor(`conversation_${agent.name}_${number}`, content, 'md')
    const written = await keepFile(agent, runtime.configurable, { name: file, content })
    const summary = new HumanMessage({
      content: `${short.text}\n\n[${removed.length} earlier messages were replaced by this summary. They are in the file ${file}.]`,
      additional_kwargs: { lc_source: 'summarization', number },
    })
    report(runtime, {
      warning: {
        code: 'summarised',
        message: `${agent.name} was near the end of its context: ${removed.length} messages were replaced by a summary and saved as ${file}.`,
        file,
        messages: removed.length,
      },
    })
    const shortened = [...asked, summary, ...short.kept]
    const said = await handler({ ...request, messages: shortened })
    // A structured response ends the run: there is no later turn that the summary would be for.
    if (!AIMessage.isInstance(said)) return said
    return new Command({
      update: {
        messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...shortened, said],
        ...written,
      },
    })
  }
}

interface Summary {
  readonly text: string
  readonly kept: readonly BaseMessage[]
}

/** Undefined when there is nothing to summarise, or when the model failed to: the conversation then stays as it is. */
async function summaryOf(
  messages: BaseMessage[],
  { model, keep, size }: { model: BaseChatModel; keep: number; size: number },
  runtime: object,
): Promise<Summary | undefined> {
  // Its parameter has the type `undefined` under `exactOptionalPropertyTypes` (langchain 1.5.14).
  const { beforeModel }: AgentMiddleware = Reflect.apply(summarizationMiddleware, undefined, [
    { model, trigger: { tokens: 1 }, keep: { tokens: keep }, trimTokensToSummarize: Math.floor(size / 2) },
  ])
  const hook = typeof beforeModel === 'function' ? beforeModel : beforeModel?.hook
  const update: unknown = await Reflect.apply(hook ?? (() => undefined), undefined, [
    { messages },
    { ...runtime, context: {} },
  ])
  const given = typeof update === 'object' && update !== null && 'messages' in update ? update.messages : []
  const [, summary, ...kept] = Array.isArray(given) ? given : []
  if (!HumanMessage.isInstance(summary) || summary.text.includes('Error generating summary:'))
    return undefined
  return { text: summary.text, kept }
}

const lengths = new WeakMap<BaseMessage, number>()

/** In characters, counted once: this runs over all messages before every model call. */
function lengthOf(message: BaseMessage): number {
  const known = lengths.get(message)
  if (known !== undefined) return known
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : []
  const content = typeof message.content === 'string' ? message.content : message.text
  const length = content.length + (calls.length === 0 ? 0 : JSON.stringify(calls).length)
  lengths.set(message, length)
  return length
}

function summariesIn(messages: readonly BaseMessage[]): number {
  return Math.max(
    0,
    ...messages.map(({ additional_kwargs }) =>
      additional_kwargs['lc_source'] === 'summarization' ? Number(additional_kwargs['number'] ?? 0) : 0,
    ),
  )
}

/** The user's request, unless it is a summary or would itself fill the context. */
function isShort(message: BaseMessage, size: number): boolean {
  const isRequest = message.type === 'human' && message.additional_kwargs['lc_source'] !== 'summarization'
  return isRequest && lengthOf(message) < (size * CHARACTERS_PER_TOKEN) / 10
}

function contextSizeOf(model: BaseChatModel): number {
  const { maxInputTokens } = model.profile
  // Ollama cuts the beginning off what is longer than this setting.
  const ollama = 'numCtx' in model && typeof model.numCtx === 'number' ? model.numCtx : undefined
  return ollama ?? maxInputTokens ?? UNKNOWN_CONTEXT_SIZE
}
