import type { Completion, Usage } from '@clewline/core'
import { type CompletionShape, normalise } from '@clewline/core/message'

/**
 * The final state of a graph as `{messages, files, usage}`. Messages are those since the last one of the user: a
 * thread's whole history in every run would make its log grow with the square of its length.
 */
export function completionOf(state: unknown, usage: Usage, shape: CompletionShape = {}): Completion {
  const { messages, files, usage: said } = normalise(state, { shape })
  const last = messages.findLastIndex((message) => message.role === 'user')
  // What was counted call by call is exact; a graph that calls no model may still say what it used.
  return { messages: messages.slice(last + 1), files, usage: Object.keys(usage).length > 0 ? usage : said }
}
