import { ClewlineError } from '@clewline/core'
import { messageOf } from '../events/delivery.ts'
import { PromptEvaluationError, type Phase } from '../limits/prompt-evaluation-error.ts'
import { causesOf } from '../throttle/causes-of.ts'
import { detectThrottle } from '../throttle/detect-throttle.ts'
import { ThrottleError } from '../throttle/throttle-error.ts'
import type { Evaluation } from './evaluation.ts'

/** The error that `evaluate` rejects with. Middleware and graph wrap errors: the whole chain is looked at. */
export function evaluationError(error: unknown, evaluation: Evaluation): unknown {
  if (evaluation.signal.aborted) return evaluation.signal.reason
  const chain = causesOf(error)
  const own = chain.find((each) => each instanceof PromptEvaluationError || each instanceof ClewlineError)
  if (own !== undefined) return own
  // A run that was asked to stop at the next step and can be taken up from there.
  const drained = chain.find((each) => each['name'] === 'GraphDrained')
  if (drained !== undefined) return drained
  const promptName = evaluation.prompt.name
  const wrap = (message: string, phase: Phase) =>
    new PromptEvaluationError(message, { promptName, phase, cause: error })
  const codes = chain.map((each) => String(each['lc_error_code'] ?? each['name']))
  if (codes.some((code) => code === 'GRAPH_RECURSION_LIMIT' || code === 'GraphRecursionError'))
    return wrap(`Graph execution exceeded recursion limit: ${messageOf(error)}`, 'request')
  if (codes.some((code) => code.startsWith('INVALID_') || code === 'InvalidUpdateError'))
    return wrap(`Invalid state update during graph execution: ${messageOf(error)}`, 'tool')
  const throttle = detectThrottle(error, evaluation.clock.now())
  if (throttle !== undefined) {
    const { providerPayload, ...facts } = throttle
    return new ThrottleError(messageOf(error), {
      details: { ...facts, attempts: 1 },
      promptName,
      providerPayload,
      cause: error,
    })
  }
  return wrap(withReason(messageOf(error), chain) || 'LangGraph execution failed.', 'request')
}

/** `fetch failed` alone does not say that the connection was refused. */
function withReason(message: string, chain: readonly Record<string, unknown>[]): string {
  const network = chain.find((each) => /^(ECONN|ENOTFOUND|EHOST|ENET|EAI_)/.test(String(each['code'])))
  // The error that holds those of several addresses has an empty message.
  const reason = [network?.['message'], network?.['code']].find(
    (each) => typeof each === 'string' && each !== '',
  )
  return typeof reason !== 'string' || message.includes(reason) ? message : `${message}: ${reason}`
}
