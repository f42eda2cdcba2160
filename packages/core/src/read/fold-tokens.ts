import type { LlmToken } from '../envelope.ts'
import type { Entry } from '../event-log.ts'
import { isSameSpeech, joinTokens } from './join-tokens.ts'

/**
 * Joins the tokens of each call that follow one another on the same channel into one, which says by `from_seq` what it
 * stands for: the text stays, `seq` has no gap, and nothing else changes. For logs that are kept for long.
 */
export function foldTokens(entries: readonly Entry[]): Entry[] {
  const folded: (Entry | null)[] = []
  const open = new Map<string, { at: number; token: LlmToken }>()
  for (const { position, envelope } of entries) {
    if (envelope.type !== 'llm_token') {
      open.delete(envelope.call_id)
      folded.push({ position, envelope })
      continue
    }
    const before = open.get(envelope.call_id)
    const token =
      before !== undefined && isSameSpeech(before.token, envelope)
        ? joinTokens([before.token, envelope])
        : envelope
    // Positions stay monotonic: the joined token stands where its last one stood.
    if (token !== envelope && before !== undefined) folded[before.at] = null
    open.set(envelope.call_id, { at: folded.length, token })
    folded.push({ position, envelope: token })
  }
  return folded.flatMap((entry) => entry ?? [])
}
