import { createQueue } from '@clewline/core'
import type { PromptResponse } from '../result/prompt-response.ts'
import type { PromptStream, StreamPart } from '../prompt/adapter.ts'

/** Runs `evaluate` now and hands out what it tells; leaving the loop aborts it. */
export function streamPrompt<O>(
  evaluate: (tell: (part: StreamPart<never>) => void, signal: AbortSignal) => Promise<PromptResponse<O>>,
): PromptStream<O> {
  const left = new AbortController()
  const queue = createQueue<StreamPart<O>>(Infinity, {
    onClose: () => left.abort(new DOMException('The stream was left.', 'AbortError')),
  })
  const response = evaluate((part) => void queue.push(part), left.signal)
  // The rejection is handled here too: a caller who only iterates must not see an unhandled one.
  response.then((value) => {
    void queue.push({ type: 'final', response: value })
    queue.close()
  }, queue.fail)
  return { response, [Symbol.asyncIterator]: () => queue[Symbol.asyncIterator]() }
}
