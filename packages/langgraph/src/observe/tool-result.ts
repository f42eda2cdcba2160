import { coerce, isRecord, type Json } from '@clewline/core'
import { messageOf } from '@clewline/core/message'

/** What a tool gave back: the result to show, and whether the tool itself says that it failed. */
export function toolResult(
  output: unknown,
  toolCallId: string | undefined,
): { result: Json; failed: string | null } {
  const message = toolMessage(output, toolCallId)
  if (message === null) return { result: isCommand(output) ? null : coerce(output), failed: null }
  const { content, status } = message
  const result = coerce(content)
  return { result, failed: status === 'error' ? (messageOf(message)?.text ?? '') : null }
}

function toolMessage(output: unknown, id: string | undefined): Record<string, unknown> | null {
  if (Array.isArray(output)) {
    for (const item of output) {
      const message = toolMessage(item, id)
      if (message !== null) return message
    }
    return null
  }
  if (!isRecord(output)) return null
  const fields = output['lc'] === 1 && isRecord(output['kwargs']) ? output['kwargs'] : output
  if (typeof fields['tool_call_id'] === 'string' && 'content' in fields) return fields
  const messages = updateOf(output)?.['messages']
  if (!Array.isArray(messages)) return null
  return toolMessage(
    messages.find((one) => isRecord(one) && one['tool_call_id'] === id) ?? messages.at(-1),
    id,
  )
}

/** What a tool says about plan and files in the `Command`s it gave back; other channels are reduced before they count. */
export function updatesOf(output: unknown): readonly { todos?: unknown; files?: unknown }[] {
  return (Array.isArray(output) ? output : [output]).flatMap((item: unknown) => {
    const update = updateOf(item)
    return update === null ? [] : [{ todos: update['todos'], files: update['files'] }]
  })
}

function updateOf(output: unknown): Record<string, unknown> | null {
  if (!isCommand(output) || !isRecord(output)) return null
  const { update } = output
  if (Array.isArray(update))
    return Object.fromEntries(update.filter((pair) => Array.isArray(pair) && pair.length === 2))
  return isRecord(update) ? update : null
}

function isCommand(value: unknown): boolean {
  return isRecord(value) && value['lg_name'] === 'Command'
}
