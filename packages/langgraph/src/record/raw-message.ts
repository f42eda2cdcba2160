import { coerce, isRecord, type Json, type RawMessage } from '@clewline/core'
import { sentContent } from './sent-content.ts'

interface Kept {
  readonly raw: RawMessage
  /** What the message held when it was read. */
  readonly seen: readonly unknown[]
}

const kept = new WeakMap<object, Kept>()

/** Fields that a constructor makes up when they are not given: recorded only when they hold something. */
const MADE_UP = new Set([
  'additional_kwargs',
  'response_metadata',
  'tool_calls',
  'invalid_tool_calls',
  'tool_call_chunks',
])

/**
 * A LangChain message with all that its constructor takes: `messageFrom` makes the very same one of it. Memoised by
 * identity, so that a conversation that is sent again costs what is new in it. A message that was changed in place (a
 * reducer gives it an id, a middleware marks its blocks for a cache) is read again, and recorded as it was sent.
 */
export function rawMessage(message: LangChainMessage): RawMessage {
  const content = sentContent(message)
  // A copy that LangChain shows is a new object with each call; the content that was sent is not.
  const of = content !== message.content && Array.isArray(content) ? content : message
  const seen = seenIn(message, content)
  const known = kept.get(of)
  if (known !== undefined && isSame(known.seen, seen)) return known.raw
  const raw = read(message, content)
  kept.set(of, { raw, seen })
  return raw
}

/** By shape: a second copy of the package in node_modules has other classes. */
export interface LangChainMessage {
  readonly content: unknown
  getType(): unknown
}

export function isLangChainMessage(value: unknown): value is LangChainMessage {
  return isRecord(value) && 'content' in value && typeof value['getType'] === 'function'
}

function read(message: LangChainMessage, content: unknown): RawMessage {
  const fields: Record<string, Json> = {}
  for (const [name, field] of Object.entries(message)) {
    if (name === 'type' || name === 'content' || name.startsWith('lc_') || field === undefined) continue
    if (!MADE_UP.has(name) || !isEmpty(field)) fields[name] = coerce(field)
  }
  return {
    type: String(message.getType()),
    ...(isChunk(message) && { chunk: true }),
    content: coerce(content),
    ...fields,
  }
}

/** By the name under which LangChain writes its class down. */
const isChunk = (message: LangChainMessage): boolean =>
  'lc_id' in message && Array.isArray(message.lc_id) && String(message.lc_id.at(-1)).endsWith('Chunk')

const isEmpty = (field: unknown): boolean =>
  typeof field === 'object' && field !== null && Object.keys(field).length === 0

/** What providers are sent, and middleware changes in place: compared to the leaves. JSON by contract, so without cycles. */
const SENT = new Set(['content', 'tool_calls'])

/** The fields of a message and what is directly in them; all that is in those that are sent. */
function seenIn(message: LangChainMessage, content: unknown): readonly unknown[] {
  const seen: unknown[] = []
  for (const name in message) {
    if (name.startsWith('lc_')) continue
    const field: unknown = name === 'content' ? content : Reflect.get(message, name)
    see(field, SENT.has(name) ? DEEPEST : 1, seen)
  }
  return seen
}

/** A bound for a contract that is broken. */
const DEEPEST = 12

function see(value: unknown, depth: number, seen: unknown[]): void {
  seen.push(value)
  // Of bytes, each would be a field of its own.
  if (depth === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return
  for (const key in value) see(Reflect.get(value, key), depth - 1, seen)
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i])
}
