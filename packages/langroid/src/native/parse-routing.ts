import { apiCalls, type ChatDocument } from './chat-document.ts'
import { jsonSpans, parseJsonObject } from './extract-json.ts'

export const PASS = '__PASS__'
const PASS_TO = `${PASS}:`
const SEND_TO = '__SEND__:'

/** What the routing words in an answer ask for. */
export type Route =
  /** None of them: the answer is for any responder. */
  | { readonly type: 'none' }
  /** The pending message goes on to the recipient, or to the next in turn. */
  | { readonly type: 'pass'; readonly recipient: string | null }
  | { readonly type: 'send'; readonly recipient: string; readonly content: string }

/**
 * Reads Langroid's routing words in an answer: `__SEND__:name text` addresses it, `__PASS__:name` hands the pending
 * message to `name`, `__PASS__` to the next in turn; `prefix` is an "@" of the task's own.
 */
export function parseRouting(text: string, prefix = ''): Route {
  const content = text.trim()
  if (content.includes(PASS) && !content.includes(PASS_TO)) return { type: 'pass', recipient: null }
  const passTo = content.includes(PASS_TO) ? (content.split(':')[1] ?? '') : ''
  if (passTo !== '') return { type: 'pass', recipient: passTo }
  for (const mark of [SEND_TO, prefix]) {
    if (mark === '' || !content.includes(mark)) continue
    const addressed = lastAddressee(content, mark)
    if (addressed === undefined) continue
    const { recipient, content: words } = addressed
    return words === '' ? { type: 'pass', recipient } : { type: 'send', recipient, content: words }
  }
  return { type: 'none' }
}

/** True when the answer begins with a routing word, so that a tool in it does not count. */
export function beginsWithRoute(text: string): boolean {
  return text.startsWith(PASS) || text.startsWith(SEND_TO)
}

/** Of several addressees, the last one is meant, and what follows its name. */
function lastAddressee(
  content: string,
  mark: string,
): { readonly recipient: string; readonly content: string } | undefined {
  const pattern = new RegExp(`${mark.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(\\w+)[^\\w]`, 'g')
  const last = [...content.matchAll(pattern)].at(-1)
  if (last?.[1] === undefined) return undefined
  return { recipient: last[1], content: content.slice(last.index + last[0].length).trim() }
}

/** The recipient that a model names in its words, `TO[name]: …`, or in a tool's `recipient`; and the words without it. */
export function parseRecipient(document: ChatDocument): {
  readonly recipient: string
  readonly content: string
} {
  const { content } = document
  for (const { args } of apiCalls(document)) {
    const { recipient } = args
    if (typeof recipient === 'string' && recipient !== '') return { recipient, content }
  }
  const to = /^\s*TO\[\s*([A-Za-z0-9]+)\s*\]:\s*/.exec(content)
  if (to?.[1] !== undefined) return { recipient: to[1], content: content.slice(to[0].length) }
  for (const { start, end } of jsonSpans(content)) {
    const recipient = parseJsonObject(content.slice(start, end))?.['recipient']
    if (typeof recipient === 'string') return { recipient, content }
  }
  return { recipient: '', content }
}
