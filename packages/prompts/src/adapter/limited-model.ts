import { isRecord } from '@clewline/core'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AIMessage } from '@langchain/core/messages'
import { retryThrottled, type ThrottlePolicy } from '../throttle/retry-throttled.ts'
import { currentEvaluation, type Evaluation } from './evaluation.ts'
import type { LangChain } from './load-langchain.ts'
import { repairToolCalls } from './repair-tool-calls.ts'

/**
 * The same model, with limits and patience: for graphs that call it themselves. Outside of an evaluation it is the
 * model as it was.
 */
export function limitedModel(lc: LangChain, model: BaseChatModel, policy: ThrottlePolicy): BaseChatModel {
  const generate: BaseChatModel['_generate'] = (messages, options, runManager) =>
    patiently(lc, policy, () => model._generate(messages, options, runManager))

  const streamChunks: BaseChatModel['_streamResponseChunks'] = async function* (
    messages,
    options,
    runManager,
  ) {
    // Only until the first chunk: what was shown cannot be taken back.
    const [first, rest] = await patiently(lc, policy, async () => {
      const chunks = model._streamResponseChunks(messages, options, runManager)
      return [await chunks.next(), chunks] as const
    })
    if (first.done === true) return
    yield first.value
    yield* rest
  }
  /** Also for answers that were streamed: what came in pieces is whole here. */
  async function invoke(
    this: BaseChatModel,
    ...call: Parameters<BaseChatModel['invoke']>
  ): Promise<AIMessage> {
    const message = await model.invoke.apply(this, call)
    const evaluation = currentEvaluation(lc)
    return evaluation === undefined ? message : repairToolCalls(lc, evaluation, message)
  }

  // LangChain tells by this method whether a model can stream.
  const streams = model._streamResponseChunks !== lc.models.BaseChatModel.prototype._streamResponseChunks
  // A new object with the model behind it keeps its class, its settings and `bindTools`.
  const limited: BaseChatModel = Object.create(model, {
    invoke: { value: invoke },
    _generate: { value: generate },
    ...(streams && { _streamResponseChunks: { value: streamChunks } }),
  })
  return limited
}

/** One model call of the current evaluation, tried again while the provider is busy. */
export async function patiently<T>(
  lc: LangChain,
  policy: ThrottlePolicy,
  attempt: () => Promise<T>,
): Promise<T> {
  const evaluation = currentEvaluation(lc)
  if (evaluation === undefined) return attempt()
  const checked = () => {
    evaluation.checkBefore('model')
    return attempt()
  }
  return retryThrottled(checked, retryContext(evaluation, policy))
}

/** The policy for a model: one that retries transient failures itself is not asked again for those. */
export function policyFor(model: object, policy: ThrottlePolicy): ThrottlePolicy {
  const caller: unknown = 'caller' in model ? model.caller : undefined
  const retries = isRecord(caller) ? caller['maxRetries'] : undefined
  return { retryTransient: !(typeof retries === 'number' && retries > 0), ...policy }
}

function retryContext(evaluation: Evaluation, policy: ThrottlePolicy) {
  const shown = evaluation.counts.tokens
  return {
    policy,
    clock: evaluation.clock,
    signal: evaluation.signal,
    deadlines: evaluation.limits.deadlines,
    promptName: evaluation.prompt.name,
    onThrottled: (details: Parameters<Parameters<typeof retryThrottled>[1]['onThrottled']>[0]) =>
      void evaluation.emit({ type: 'Throttled', ...details }),
    mayRepeat: () => evaluation.counts.tokens === shown,
  }
}
