import type { LlmToken } from '../envelope.ts'
import type { Entry } from '../event-log.ts'
import { isSameSpeech, joinTokens } from './join-tokens.ts'

/** Characters at which a joined token is full: a single one of megabytes would be slow to read and to show. */
const FULL = 32 * 1024

/** Tokens that continue each other. The joined one stands where the last of them stood, so that positions stay monotonic. */
interface Group {
  readonly tokens: [LlmToken, ...LlmToken[]]
  length: number
  position: number
  /** Its place among what is folded. */
  at: number
}

/**
 * Joins the tokens of each call that follow one another on the same channel into one, which says by `from_seq` what it
 * stands for: the text stays, `seq` has no gap, and nothing else changes. For logs that are kept for long; linear, so
 * that a long run can also be folded in slices.
 */
export function foldTokens(entries: readonly Entry[]): Entry[] {
  const folded: (Entry | Group | null)[] = []
  const open = new Map<string, Group>()
  for (const entry of entries) {
    const { position, envelope } = entry
    if (envelope.type !== 'llm_token') {
      open.delete(envelope.call_id)
      folded.push(entry)
      continue
    }
    const { length } = envelope.payload.text
    const group = open.get(envelope.call_id)
    if (group !== undefined && group.length < FULL && isSameSpeech(group.tokens[0], envelope)) {
      folded[group.at] = null
      group.tokens.push(envelope)
      group.length += length
      group.position = position
      group.at = folded.push(group) - 1
      continue
    }
    const begun: Group = { tokens: [envelope], length, position, at: folded.length }
    open.set(envelope.call_id, begun)
    folded.push(begun)
  }
  return folded.flatMap((item) => (item === null ? [] : 'tokens' in item ? entryOf(item) : item))
}

function entryOf({ position, tokens }: Group): Entry {
  return { position, envelope: joinTokens(tokens) }
}
