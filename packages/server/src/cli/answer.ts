import { messageOf } from '@clewline/core/message'
import { callsBelow, type View } from '@clewline/core/view'

/** What the newest request was answered with: the last words of its result, or else of its model. */
export function answerOf(view: View): string {
  const root = view.calls.get(view.roots.at(-1) ?? '')
  if (root === undefined) return ''
  const result: unknown = root.result
  const messages: unknown =
    typeof result === 'object' && result !== null && 'messages' in result ? result.messages : []
  const said = Array.isArray(messages) ? messages.flatMap((message) => messageOf(message) ?? []) : []
  const last = said.findLast(({ role, text }) => role === 'assistant' && text !== '')
  if (last !== undefined) return last.text
  const spoken = callsBelow(view.calls, root).findLast(({ kind, text }) => kind === 'llm' && text !== '')
  return spoken?.text ?? ''
}
