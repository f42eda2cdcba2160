import type { ChatDocument } from './chat-document.ts'

export const PASS = '__PASS__'
const PASS_TO = /__PASS__:\s*(\w+)/
const SEND_TO = /__SEND__:\s*(\w+)(?:[^\w]([\s\S]*))?$/

/**
 * Reads Langroid's routing words in an answer: `__SEND__:name text` addresses it, `__PASS__:name` hands the pending
 * message to `name`, `__PASS__` to the next in turn.
 */
export function parseRouting(document: ChatDocument): ChatDocument {
  const text = document.content.trim()
  if (document.tools.length > 0 && !/^__(?:PASS|SEND)__/.test(text)) return document
  const pass = PASS_TO.exec(text)
  if (pass !== null) return { ...document, recipient: pass[1] ?? '', content: PASS, signal: { kind: 'pass' } }
  if (text.includes(PASS)) return { ...document, signal: { kind: 'pass' } }
  const send = SEND_TO.exec(text)
  if (send === null) return document
  const content = (send[2] ?? '').trim()
  return content === ''
    ? { ...document, recipient: send[1] ?? '', content: PASS, signal: { kind: 'pass' } }
    : { ...document, recipient: send[1] ?? '', content }
}
