import type { Entry, Envelope } from '@skein/core'

type Token = Extract<Envelope, { type: 'llm_token' }>

/**
 * Joins the tokens of each call that follow one another on the same channel into one, which says by `from_seq` what it
 * stands for: the text stays, `seq` has no gap, and nothing else changes.
 */
export function foldTokens(entries: readonly Entry[]): Entry[] {
  const folded: (Entry | null)[] = []
  const open = new Map<string, { at: number; token: Token }>()
  for (const { position, envelope } of entries) {
    if (envelope.type !== 'llm_token') {
      open.delete(envelope.call_id)
      folded.push({ position, envelope })
      continue
    }
    const before = open.get(envelope.call_id)
    const token =
      before !== undefined && isSameSpeech(before.token, envelope) ? joined(before.token, envelope) : envelope
    // The joined token stands where its last one stood, so that positions still only grow.
    if (token !== envelope && before !== undefined) folded[before.at] = null
    open.set(envelope.call_id, { at: folded.length, token })
    folded.push({ position, envelope: token })
  }
  return folded.flatMap((entry) => entry ?? [])
}

function isSameSpeech(a: Token, b: Token): boolean {
  return (
    a.run_id === b.run_id &&
    (a.payload.channel ?? 'text') === (b.payload.channel ?? 'text') &&
    isSame(a.payload.message_id, b.payload.message_id) &&
    a.payload.tool_call?.index === b.payload.tool_call?.index &&
    isSame(a.payload.tool_call?.id, b.payload.tool_call?.id)
  )
}

/** Sources name the message and the tool call with the first piece and may leave it out after that. */
const isSame = (first: string | undefined, later: string | undefined): boolean =>
  later === undefined || later === '' || first === later

function joined(first: Token, next: Token): Token {
  const { logprob: _one, ...payload } = first.payload
  return {
    ...next,
    payload: {
      ...payload,
      text: first.payload.text + next.payload.text,
      from_seq: first.payload.from_seq ?? first.seq,
    },
  }
}
