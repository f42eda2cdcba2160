import type { Tool } from '../prompt/tool.ts'
import type { ToolEvaluation } from './tool-evaluation.ts'

/** Rejects when the evaluation stops or the tool's timeout expires; the handler's signal aborts. */
export async function withTimeout<R>(
  tool: Tool,
  evaluation: ToolEvaluation,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const { timeoutMs } = tool
  if (timeoutMs === undefined) return untilAborted(evaluation.signal, work)
  const controller = new AbortController()
  const outer = evaluation.signal
  const forward = () => controller.abort(outer.reason)
  outer.addEventListener('abort', forward, { once: true })
  const expire = () => controller.abort(new Error(`timed out after ${timeoutMs} ms`))
  const timer = evaluation.clock.setTimeout(expire, timeoutMs)
  try {
    return await untilAborted(controller.signal, work)
  } finally {
    outer.removeEventListener('abort', forward)
    timer[Symbol.dispose]()
  }
}

function untilAborted<R>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work(signal)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
