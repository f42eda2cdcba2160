import { characterStart } from '../character-start.ts'
import { coerce } from '../coerce.ts'
import type { Envelope } from '../envelope.ts'
import type { Json } from '../json.ts'
import { isCompletion } from '../message/is-completion.ts'

const LOG = 4_000
const RESULT = { text: 16_000, total: 64_000, breadth: 1_000 }

/**
 * The envelope as profile `user` shows it: long logs and results of tools cut, with a mark that says by how much. What a
 * graph or a sub-agent returns is left whole: its messages and files are what the user asked for.
 */
export function trim(envelope: Envelope): Envelope {
  if (envelope.type === 'tool_update') {
    const { text } = envelope.payload
    if (text === undefined || text.length <= LOG) return envelope
    return { ...envelope, payload: { ...envelope.payload, text: trimmedText(text) } }
  }
  if (envelope.type !== 'tool_end') return envelope
  const { result } = envelope.payload
  if (!isLong(result) || isCompletion(result)) return envelope
  return { ...envelope, payload: { ...envelope.payload, result: coerce(result, RESULT) } }
}

/** Keeps the head and the tail: a log names its task at the start and its failure at the end. */
function trimmedText(text: string): string {
  const head = characterStart(text, LOG / 2)
  const tail = characterStart(text, text.length - LOG / 2)
  return `${text.slice(0, head)}…[cut: ${tail - head} characters]…${text.slice(tail)}`
}

const isLong = (result: Json): boolean =>
  typeof result === 'string' ? result.length > RESULT.text : typeof result === 'object' && result !== null
