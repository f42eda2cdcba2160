import { characterStart } from '../character-start.ts'
import { coerce } from '../coerce.ts'
import type { Envelope, ToolEnd, ToolUpdate } from '../envelope.ts'
import type { Json, JsonObject } from '../json.ts'
import { isCompletion } from '../message/is-completion.ts'

const LOG = 4_000
const RESULT = { text: 16_000, total: 64_000, breadth: 1_000 }
const STATE = { total: 65_536 }

/**
 * The envelope as profile `user` shows it: long logs, results of tools, outputs and states cut, with a mark that says by
 * how much. The messages and files of a graph or a sub-agent are left whole: they are what the user asked for.
 */
export function trim(envelope: Envelope): Envelope {
  if (envelope.type === 'tool_update') return trimmedUpdate(envelope)
  if (envelope.type !== 'tool_end') return envelope
  const { result } = envelope.payload
  if (!isLong(result)) return envelope
  if (!isCompletion(result)) return withResult(envelope, coerce(result, RESULT))
  const { output } = result
  if (output === undefined || !isLong(output)) return envelope
  return withResult(envelope, { ...result, output: coerce(output, RESULT) })
}

function withResult(envelope: ToolEnd, result: Json): Envelope {
  return { ...envelope, payload: { ...envelope.payload, result } }
}

function trimmedUpdate(envelope: ToolUpdate): Envelope {
  const { text, delta } = envelope.payload
  const isLongLog = text !== undefined && text.length > LOG
  if (!isLongLog && delta?.state === undefined) return envelope
  const payload = {
    ...envelope.payload,
    ...(isLongLog && { text: trimmedText(text) }),
    ...(delta?.state !== undefined && { delta: { ...delta, state: trimmedState(delta.state) } }),
  }
  return { ...envelope, payload }
}

/** Each key within a bound of its own: a long one does not hide the others. */
function trimmedState(state: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(state).map(([key, value]) => [key, coerce(value, STATE)]))
}

/** Keeps the head and the tail: a log names its task at the start and its failure at the end. */
function trimmedText(text: string): string {
  const head = characterStart(text, LOG / 2)
  const tail = characterStart(text, text.length - LOG / 2)
  return `${text.slice(0, head)}…[cut: ${tail - head} characters]…${text.slice(tail)}`
}

const isLong = (result: Json): boolean =>
  typeof result === 'string' ? result.length > RESULT.text : typeof result === 'object' && result !== null
