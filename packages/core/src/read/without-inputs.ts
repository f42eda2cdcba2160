import type { Envelope } from '../envelope.ts'
import { isRecord } from '../is-record.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIST_KEY, type StoredEnvelope } from '../parts/part.ts'

/**
 * The envelope without what a model was asked and what it and the tools returned raw: profile `user` leaves them out
 * unless asked for `inputs`. Nor does it repeat the conversation, which the result of a graph has in `messages`: states
 * (a node's result, a graph's `output`) come without theirs. Takes envelopes as they stand in a log, too.
 */
export function withoutInputs(envelope: Envelope): Envelope
export function withoutInputs(envelope: StoredEnvelope): StoredEnvelope
export function withoutInputs(envelope: Envelope | StoredEnvelope): Envelope | StoredEnvelope {
  switch (envelope.type) {
    case 'llm_start':
      return without(envelope as StoredEnvelope, 'input')
    case 'llm_end':
      return without(envelope as StoredEnvelope, 'raw')
    case 'tool_end':
      return withoutStates(without(envelope, 'raw'))
    case 'tool_start':
    case 'tool_update':
    case 'llm_token':
    case 'subgraph_checkpoint':
    case 'subgraph_resume':
    case 'warning':
    case 'error':
      return envelope
  }
}

function without(envelope: StoredEnvelope, key: string): StoredEnvelope {
  if (envelope.payload[key] === undefined) return envelope
  const { [key]: _left, ...payload } = envelope.payload
  return { ...envelope, payload }
}

function withoutStates(envelope: StoredEnvelope): StoredEnvelope {
  const { result } = envelope.payload
  if (!isRecord(result)) return envelope
  const { output } = result
  // A completion has these two beside its messages.
  const isCompletion = isRecord(result['files']) && isRecord(result['usage'])
  const short = isCompletion
    ? isRecord(output)
      ? { ...result, output: withoutMessages(output) }
      : result
    : withoutMessages(result)
  return short === result ? envelope : { ...envelope, payload: { ...envelope.payload, result: short } }
}

function withoutMessages(state: JsonObject): JsonObject {
  const { messages, ...rest } = state
  return messages !== undefined && isConversation(messages) ? rest : state
}

/** Messages as their framework has them, or a reference to a list of them. */
function isConversation(value: Json): boolean {
  if (isRecord(value)) return value[LIST_KEY] !== undefined
  return Array.isArray(value) && value.every((item) => isRecord(item) && 'type' in item && 'content' in item)
}
