import type { PromptResponse } from '../result/prompt-response.ts'
import type { PromptStream, StreamPart } from '../prompt/adapter.ts'

/** Runs `evaluate` now and hands out what it tells; leaving the loop aborts it. */
export function streamPrompt<O>(
  evaluate: (tell: (part: StreamPart<never>) => void, signal: AbortSignal) => Promise<PromptResponse<O>>,
): PromptStream<O> {
  const left = new AbortController()
  const queue: StreamPart<O>[] = []
  let wake: () => void = () => undefined
  let outcome: { readonly error?: unknown } | undefined

  const push = (part: StreamPart<O>) => {
    if (left.signal.aborted) return
    queue.push(part)
    wake()
  }
  const finish = (how: { readonly error?: unknown }) => {
    outcome = how
    wake()
  }
  const response = evaluate(push, left.signal)
  response.then(
    (value) => {
      push({ type: 'final', response: value })
      finish({})
    },
    (error: unknown) => finish({ error }),
  )

  async function* parts(): AsyncGenerator<StreamPart<O>, void> {
    try {
      while (true) {
        const part = queue.shift()
        if (part !== undefined) yield part
        else if (outcome === undefined) await new Promise<void>((resolve) => (wake = resolve))
        else if ('error' in outcome) throw outcome.error
        else return
      }
    } finally {
      left.abort(new DOMException('The stream was left.', 'AbortError'))
      queue.length = 0
    }
  }
  // Handled above: a caller who only iterates must not see an unhandled rejection.
  response.catch(() => undefined)
  const iterator = parts()
  return { response, [Symbol.asyncIterator]: () => iterator }
}
