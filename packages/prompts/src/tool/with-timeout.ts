import type { Evaluation } from '../adapter/evaluation.ts'
import type { Tool } from './tool.ts'

/** Stops waiting when the evaluation stops or the tool's own time is up; the handler is told by its signal. */
export async function withTimeout<R>(
  tool: Tool,
  evaluation: Evaluation,
  work: (signal: AbortSignal) => Promise<R>,
): Promise<R> {
  const { timeoutMs } = tool
  const controller = new AbortController()
  const outer = evaluation.signal
  outer.throwIfAborted()
  const forward = () => controller.abort(outer.reason)
  outer.addEventListener('abort', forward, { once: true })
  const timer =
    timeoutMs === undefined
      ? undefined
      : evaluation.clock.setTimeout(
          () => controller.abort(new Error(`timed out after ${timeoutMs} ms`)),
          timeoutMs,
        )
  const { promise: stopped, reject } = rejection()
  const stop = () => reject(controller.signal.reason)
  controller.signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work(controller.signal), stopped])
  } finally {
    outer.removeEventListener('abort', forward)
    controller.signal.removeEventListener('abort', stop)
    timer?.[Symbol.dispose]()
  }
}

function rejection(): { readonly promise: Promise<never>; readonly reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => undefined
  const promise = new Promise<never>((_, settle) => (reject = settle))
  promise.catch(() => undefined)
  return { promise, reject }
}
