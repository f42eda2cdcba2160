import type { BaseCallbackHandler, CallbackHandlerMethods } from '@langchain/core/callbacks/base'
import type { LLMResult } from '@langchain/core/outputs'
import { isRecord } from '@clewline/core'
import type { TokenUsage } from '../limits/token-usage.ts'
import type { Evaluation } from './evaluation.ts'
import type { LangChain } from './load-langchain.ts'

/** Key in a run's metadata that says which evaluation it belongs to: the innermost counts it. */
export const evaluationKey = 'clewline_evaluation'

/**
 * Sees every model call, also those made by tools and nodes that know nothing of the evaluation. A handler cannot
 * stop a run by throwing; it stops the evaluation, whose signal reaches the call.
 */
export function usageHandler(lc: LangChain, evaluation: Evaluation, streaming: boolean): BaseCallbackHandler {
  const running = new Set<string>()
  const nodes = new Map<string, string>()
  const begin = (runId: string, metadata: Readonly<Record<string, unknown>> | undefined) => {
    if (metadata?.[evaluationKey] !== evaluation.id) return
    running.add(runId)
    try {
      evaluation.checkBefore('model')
    } catch (error) {
      evaluation.stop(error)
    }
  }
  const handler = makeHandler(lc, {
    handleChatModelStart: (_model, _messages, runId, _parent, _extra, _tags, metadata) =>
      begin(runId, metadata),
    handleLLMStart: (_model, _prompts, runId, _parent, _extra, _tags, metadata) => begin(runId, metadata),
    handleLLMEnd(result, runId) {
      if (running.delete(runId) && !evaluation.signal.aborted) evaluation.recordModelCall(usageOf(result))
    },
    handleLLMError: (_error, runId) => void running.delete(runId),
    ...(streaming && {
      handleLLMNewToken(token: string, _index: unknown, runId: string) {
        if (token === '' || !running.has(runId)) return
        evaluation.counts.tokens += 1
        evaluation.tell({ type: 'text', delta: token })
      },
      handleChainStart(_chain, _inputs, runId, _type, tags, metadata, _runType, name) {
        const node = metadata?.['langgraph_node']
        if (metadata?.[evaluationKey] === evaluation.id && node === name && isNode(tags))
          nodes.set(runId, String(node))
      },
      handleChainEnd(update, runId) {
        const node = nodes.get(runId)
        if (node !== undefined && nodes.delete(runId) && !node.startsWith('__'))
          evaluation.tell({ type: 'state', node, update })
      },
    }),
  })
  handler.awaitHandlers = true
  // Nothing of tools is of interest, and of chains only while streaming.
  handler.ignoreAgent = true
  handler.ignoreChain = !streaming
  return streaming ? Object.assign(handler, { lc_prefer_streaming: true }) : handler
}

let Handler: (new () => BaseCallbackHandler) | undefined

/** What `fromMethods` does, without a new class for every handler. */
function makeHandler(lc: LangChain, methods: CallbackHandlerMethods): BaseCallbackHandler {
  Handler ??= class extends lc.callbacks.BaseCallbackHandler {
    override name = 'clewline-prompts-usage'
  }
  return Object.assign(new Handler(), methods)
}

/** Nodes run with the number of their step as a tag. */
const isNode = (tags: readonly string[] | undefined) =>
  tags?.some((tag) => tag.startsWith('graph:step:')) === true

/** `usage_metadata` of the message: `llmOutput` is empty or differently spelt, depending on streaming. */
function usageOf(result: LLMResult): TokenUsage {
  const generation = result.generations[0]?.[0]
  const message: unknown =
    generation !== undefined && 'message' in generation ? generation.message : undefined
  return usageOfMessage(message)
}

export function usageOfMessage(message: unknown): TokenUsage {
  const usage = isRecord(message) ? message['usage_metadata'] : undefined
  if (!isRecord(usage)) return {}
  const { input_tokens: input, output_tokens: output, total_tokens: total } = usage
  const details = usage['input_token_details']
  const cached = isRecord(details) ? details['cache_read'] : undefined
  const counts: { -readonly [K in keyof TokenUsage]: number } = {}
  if (typeof input === 'number') counts.inputTokens = input
  if (typeof output === 'number') counts.outputTokens = output
  if (typeof total === 'number') counts.totalTokens = total
  if (typeof cached === 'number') counts.cachedTokens = cached
  return counts
}

interface Manager {
  copy(handlers: object[], inherit: boolean): Manager
}

const isManager = (value: unknown): value is Manager =>
  isRecord(value) && 'copy' in value && typeof value['copy'] === 'function'

/** Whether a run with this config has any callbacks. */
export function isWatched({ callbacks }: { readonly callbacks?: unknown }): boolean {
  const handlers = isRecord(callbacks) ? callbacks['handlers'] : callbacks
  return Array.isArray(handlers) && handlers.length > 0
}

/** What listens already, and one more. */
export function withHandler(around: unknown, handler: BaseCallbackHandler): Manager | object[] {
  if (isManager(around)) return around.copy([handler], true)
  return Array.isArray(around) ? [...around, handler] : [handler]
}

const handlers = new WeakMap<Evaluation, BaseCallbackHandler>()

/** The config of a tool, so that models which it calls are counted. */
export function counting<C extends object>(lc: LangChain, evaluation: Evaluation | undefined, config: C): C {
  if (evaluation === undefined || evaluation.countsByCallback) return config
  const handler = handlers.get(evaluation) ?? usageHandler(lc, evaluation, false)
  handlers.set(evaluation, handler)
  const { callbacks, metadata } = { callbacks: undefined, metadata: {}, ...config }
  return {
    ...config,
    callbacks: withHandler(callbacks, handler),
    metadata: { ...metadata, [evaluationKey]: evaluation.id },
  }
}
