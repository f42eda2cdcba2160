import { coerce, type Completion, type Message, type Usage } from '@skein/core'
import { messageOf } from '@skein/core/source'
import { isRecord } from '../is-record.ts'
import { filesOf } from './files-of.ts'

/**
 * The final state of a graph as `{messages, files, usage}`. Messages are those since the last one of the user: a
 * thread's whole history in every run would make its log grow with the square of its length.
 */
export function completionOf(state: unknown, usage: Usage): Completion {
  const values = isRecord(state) ? state : {}
  const list: readonly unknown[] = Array.isArray(values['messages'])
    ? values['messages']
    : Array.isArray(state)
      ? state
      : []
  const messages: Message[] = []
  for (let i = list.length - 1; i >= 0; i--) {
    const message = messageOf(list[i])
    if (message?.role === 'user') break
    if (message !== null) messages.unshift(message)
  }
  return coerce({ messages, files: filesOf(values['files']), usage }) as Completion
}
